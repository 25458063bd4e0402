"""Prepare: read every set, keep what the mixture can use, mine negatives, write one file."""

from collections import Counter
from pathlib import Path

from training.examples import beir_examples, beir_passages, pair_examples, write_examples
from training.mixture import BEIR, SHARES, capped
from training.negatives import mined

BEIR_PASSAGES = 12_000
"""At most so many passages of a labelled corpus are searched for negatives."""
FEWEST_NEGATIVES = 4


def prepare(data: Path, output: Path, *, lists: int, seed: int = 3) -> Counter[str]:
    """Write the examples that a run of `lists` lists can meet; how many there are of each set.

    `data` holds `train_pairs/` and the BEIR folders; a set that is not there is left out.

    Raises:
        TrainingError: a file is not what it should be.
    """
    examples = [one for file in sorted((data / "train_pairs").glob("*.jsonl.gz")) for one in pair_examples(file)]
    folders = [data / name for name in BEIR if (data / name).is_dir()]
    for folder in folders:
        examples += beir_examples(folder)
    others = {folder.name: beir_passages(folder, limit=BEIR_PASSAGES) for folder in folders}
    kept = mined(capped(examples, SHARES, lists, seed=seed), others)
    kept = [one for one in kept if len(one.negatives) >= FEWEST_NEGATIVES]
    write_examples(output, kept)
    return Counter(one.source for one in kept)
