"""The training loop: listwise softmax over one right and some wrong passages, resumable at every checkpoint."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from stores.rerankers.pairs import padded, pair_rows
from training.encoder import CrossEncoder
from training.errors import TrainingError
from training.examples import Example
from training.mixture import order

CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run does. The learning rate falls linearly to `FLOOR` of itself where the first of the budgets ends."""

    pairs: int = 1_000_000_000
    """Budget: (query, passage) pairs read."""
    minutes: float = 1e9
    """Budget: time spent training, over all restarts."""
    negatives: int = 4
    lists_per_step: int = 4
    sorted_lists: int = 32
    """So many lists are sorted by length and cut into steps, so that a step reads texts of like length."""
    rate: float = 1e-4
    head_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup_steps: int = 60
    longest: int = 192
    """Tokens of a row."""
    seed: int = 5
    shares: Mapping[str, float] = field(default_factory=dict)
    """How often each set is drawn."""


FLOOR = 0.03
WORST_NORM = 1.0
REPORT_STEPS = 25


@dataclass(slots=True)
class Progress:
    """How far a run is."""

    steps: int = 0
    pairs: int = 0
    seconds: float = 0.0

    def of(self, plan: Plan) -> float:
        """The share of the plan that is done; 1 or more: it is over."""
        return max(self.pairs / plan.pairs, self.seconds / 60 / plan.minutes)


def train(
    encoder: CrossEncoder,
    tokenizer: Tokenizer,
    examples: Sequence[Example],
    plan: Plan,
    folder: Path,
    *,
    save_every_seconds: float = 300.0,
    clock: Callable[[], float] = time.monotonic,
) -> Progress:
    """Train `encoder` in place until the plan is done, from the checkpoint in `folder` if there is one.

    Writes `checkpoint.pt` (weights, optimizer, progress, plan) and appends to `log.jsonl`. A run may go on under a
    longer plan: the rate then rises to where that plan has it. The order of examples is that of the seed.

    Raises:
        TrainingError: the checkpoint is of another model, or was made with another seed or step size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    optimizer = _optimizer(encoder, plan)
    progress = restored(encoder, optimizer, plan, folder / CHECKPOINT)
    encoder.train()
    window = _Window()
    saved = last = clock()
    for lists in islice(steps(examples, plan), progress.steps, None):
        if progress.of(plan) >= 1:
            break
        _set_rates(optimizer, plan, progress)
        loss, hits = _step(encoder, optimizer, tokenizer, lists, plan)
        now = clock()
        progress = Progress(
            progress.steps + 1, progress.pairs + len(lists) * (1 + plan.negatives), progress.seconds + now - last
        )
        last = now
        window.add(lists, loss, hits)
        if progress.steps % REPORT_STEPS == 0:
            _report(folder, progress, plan, window)
            window = _Window()
        if now - saved >= save_every_seconds:
            save(encoder, optimizer, progress, plan, folder / CHECKPOINT)
            saved = now
    save(encoder, optimizer, progress, plan, folder / CHECKPOINT)
    return progress


def steps(examples: Sequence[Example], plan: Plan) -> Iterator[list[tuple[str, list[str]]]]:
    """Without end: the lists of each step, every one a query and its passages, the right one first."""
    met = order(examples, plan.shares, seed=plan.seed)
    number = 0
    while True:
        draw = random.Random(f"{plan.seed} {number}")  # noqa: S311 - a sample, not a secret
        lists = [_list(one, plan.negatives, draw) for one in islice(met, plan.sorted_lists)]
        lists.sort(key=lambda one: sum(map(len, one[1])))
        cut = [lists[i : i + plan.lists_per_step] for i in range(0, len(lists), plan.lists_per_step)]
        draw.shuffle(cut)
        yield from cut
        number += 1


def loss_of(scores: Tensor) -> Tensor:
    """Listwise softmax cross-entropy of scores (lists, passages) whose first column is right (Cao et al. 2007)."""
    return nn.functional.cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long))


def rate_share(plan: Plan, progress: Progress) -> float:
    """The learning rate now, as a share of the plan's: linear warm-up, then linear decay."""
    warm = min(1.0, (progress.steps + 1) / plan.warmup_steps)
    return warm * max(FLOOR, 1.0 - progress.of(plan))


def save(encoder: CrossEncoder, optimizer: torch.optim.Optimizer, progress: Progress, plan: Plan, file: Path) -> None:
    """Write a checkpoint in one move, so that a crash leaves the old one or the new one."""
    content = {
        "weights": encoder.state_dict(),
        "optimizer": optimizer.state_dict(),
        "progress": asdict(progress),
        "plan": asdict(plan) | {"shares": dict(plan.shares)},
        "layers": encoder.shape.layers,
    }
    part = file.with_suffix(".part")
    torch.save(content, part)
    part.replace(file)


def restored(encoder: CrossEncoder, optimizer: torch.optim.Optimizer | None, plan: Plan | None, file: Path) -> Progress:
    """Load a checkpoint into `encoder` and `optimizer`; how far it had come. Without a file: the beginning.

    Raises:
        TrainingError: see `train`.
    """
    if not file.is_file():
        return Progress()
    stored: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
    if stored["layers"] != encoder.shape.layers:
        raise TrainingError(f"{file} has {stored['layers']} layers, not {encoder.shape.layers}. Choose another folder.")
    for name in ("seed", "negatives", "lists_per_step", "sorted_lists"):
        if plan is not None and stored["plan"][name] != getattr(plan, name):
            raise TrainingError(f"{file} was made with {name}={stored['plan'][name]}: choose another folder.")
    encoder.load_state_dict(stored["weights"])
    if optimizer is not None:
        optimizer.load_state_dict(stored["optimizer"])
    return Progress(**stored["progress"])


def score(encoder: CrossEncoder, tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], longest: int) -> Tensor:
    """The scores (pairs,) of (query, passage) pairs."""
    ids, mask = padded(pair_rows(tokenizer, pairs, longest=longest))
    scores: Tensor = encoder(torch.from_numpy(ids), torch.from_numpy(mask))
    return scores


def _list(example: Example, negatives: int, draw: random.Random) -> tuple[str, list[str]]:
    wrong = draw.sample(example.negatives, negatives)
    return example.query, [example.positive, *wrong]


def _step(
    encoder: CrossEncoder,
    optimizer: torch.optim.Optimizer,
    tokenizer: Tokenizer,
    lists: Sequence[tuple[str, list[str]]],
    plan: Plan,
) -> tuple[float, float]:
    """One update; its loss, and the share of lists whose right passage came first."""
    pairs = [(query, passage) for query, passages in lists for passage in passages]
    scores = score(encoder, tokenizer, pairs, plan.longest).view(len(lists), -1)
    loss = loss_of(scores)
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_([one for one in encoder.parameters() if one.requires_grad], WORST_NORM)
    optimizer.step()
    return loss.item(), (scores.argmax(1) == 0).float().mean().item()


def _optimizer(encoder: CrossEncoder, plan: Plan) -> torch.optim.Optimizer:
    body = [one for one in encoder.blocks.parameters() if one.requires_grad]
    groups = [{"params": body}, {"params": list(encoder.head.parameters())}]
    return torch.optim.AdamW(groups, lr=plan.rate, weight_decay=plan.weight_decay)


def _set_rates(optimizer: torch.optim.Optimizer, plan: Plan, progress: Progress) -> None:
    share = rate_share(plan, progress)
    for group, rate in zip(optimizer.param_groups, (plan.rate, plan.head_rate), strict=True):
        group["lr"] = share * rate


class _Window:
    """What happened since the last report."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.hits: list[float] = []

    def add(self, lists: Sequence[object], loss: float, hits: float) -> None:
        self.losses += [loss] * len(lists)
        self.hits += [hits] * len(lists)


def _report(folder: Path, progress: Progress, plan: Plan, window: _Window) -> None:
    row = {
        "steps": progress.steps,
        "pairs": progress.pairs,
        "minutes": round(progress.seconds / 60, 2),
        "pairs_per_second": round(progress.pairs / progress.seconds, 2),
        "done": round(progress.of(plan), 4),
        "loss": round(sum(window.losses) / len(window.losses), 4),
        "first": round(sum(window.hits) / len(window.hits), 3),
    }
    with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(row) + "\n")
