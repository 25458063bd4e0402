"""Check: an exported model must give the scores of the checkpoint it was made from."""

from pathlib import Path
from typing import get_args

import numpy as np
import torch

from stores.rerankers.scorer import PairScorer
from training.encoder import CrossEncoder, from_embedder
from training.errors import TrainingError
from training.export import Weights, exported
from training.loop import CHECKPOINT, restored, score
from training.packaged import FOLDER, MODEL, tokenizer

PAIRS = (
    ("过滤器和拦截器有什么区别？", "过滤器由 Servlet 容器管理，拦截器由 Spring 管理。"),
    ("过滤器和拦截器有什么区别？", "年假按工作年限计算。"),
    ("What is a checkpoint?", "A checkpoint holds the weights, the optimizer and the place in the data."),
    ("What is a checkpoint?", "The bakery opens at seven."),
    ("如何列出目录", "ls -la"),
    ("parse a date", "def parse_date(text: str) -> date:\n    return date.fromisoformat(text)"),
)
EXACT = 1e-3
"""How far an fp32 file's score may be from the checkpoint's."""


def written(run: Path, output: Path, weights: str, layers: int) -> str:
    """Export the checkpoint of a run; one line about the file.

    Raises:
        TrainingError: there is no checkpoint, the weights have no such form, or the file's graph is not the encoder.
    """
    form = next((one for one in get_args(Weights) if one == weights), None)
    if form is None:
        raise TrainingError(f"{weights!r}: choose from {', '.join(get_args(Weights))}.")
    if not (run / CHECKPOINT).is_file():
        raise TrainingError(f"{run} holds no {CHECKPOINT}. Train first.")
    encoder = from_embedder(MODEL, layers)
    progress = restored(encoder, None, None, run / CHECKPOINT)
    far = distance(encoder, exported(encoder, "fp32"))
    if far > EXACT:
        raise TrainingError(f"The graph's scores are {far:.2g} from the checkpoint's: it is not exported.")
    content = exported(encoder, form)
    output.write_bytes(content)
    return (
        f"{output}: {len(content) / 1e6:.1f} MB after {progress.pairs} pairs; "
        f"at most {distance(encoder, content):.2g} from the checkpoint's scores"
    )


def distance(encoder: CrossEncoder, content: bytes) -> float:
    """The greatest difference between the scores of `PAIRS` from the encoder and from an exported file."""
    encoder.eval()
    with torch.no_grad():
        own = score(encoder, tokenizer(), PAIRS, 192).numpy()
    given = np.array(PairScorer(content, FOLDER).score(PAIRS))
    return float(np.abs(own - given).max())
