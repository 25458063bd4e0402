"""How fast files are parsed, by format: python benchmarks/parse.py FOLDER [--markitdown PYTHON] [--repeat N].

Each file under FOLDER is parsed by Recite and then, if it can be imported, by markitdown on the same file in the same
run; a format's figure is its bytes through the best of N rounds. CPU time is measured, so that a busy machine matters
little. Only files that both read are compared.
`--markitdown` names an interpreter that has markitdown, for it need not be in this environment.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from stores.documents.parsing import PARSERS, parse
from stores.errors import DocumentError

CONVERT = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
from markitdown import MarkItDown
convert = MarkItDown(enable_plugins=False).convert
paths, repeat = json.load(sys.stdin)
seconds = {}
for path in paths:
    try:
        best = None
        for _ in range(repeat):
            start = time.process_time()
            convert(path)
            passed = time.process_time() - start
            best = passed if best is None else min(best, passed)
        seconds[path] = best
    except Exception:
        pass
print(json.dumps(seconds))
"""


def recite_seconds(paths: Sequence[Path], repeat: int) -> dict[str, float]:
    """Best time of each file that is read; the first round, which loads the libraries, counts like the others."""
    seconds: dict[str, float] = {}
    for path in paths:
        for _ in range(repeat):
            start = time.process_time()
            try:
                parse(path)
            except DocumentError:
                break
            passed = time.process_time() - start
            seconds[str(path)] = min(passed, seconds.get(str(path), passed))
    return seconds


def markitdown_seconds(python: str, paths: Sequence[Path], repeat: int) -> dict[str, float] | None:
    """The same by markitdown; `None` where it cannot be imported."""
    asked = json.dumps([[str(path) for path in paths], repeat])
    done = subprocess.run([python, "-c", CONVERT], input=asked, capture_output=True, text=True, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def rate(paths: Sequence[str], seconds: dict[str, float]) -> float:
    """MB/s over these files."""
    return sum(Path(path).stat().st_size for path in paths) / 1e6 / sum(seconds[path] for path in paths)


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--markitdown", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    paths = sorted(path for path in asked.folder.rglob("*") if path.is_file() and path.suffix.lower() in PARSERS)
    ours = recite_seconds(paths, asked.repeat)
    theirs = markitdown_seconds(asked.markitdown, [Path(path) for path in ours], asked.repeat)
    if theirs is None:
        print("markitdown is not installed in this environment: only Recite was measured.\n")
    by_format: dict[str, list[str]] = defaultdict(list)
    for path in ours:
        if theirs is None or path in theirs:
            by_format[Path(path).suffix.lower()].append(path)
    print("| format | files | MB | Recite MB/s | markitdown MB/s |\n| --- | --- | --- | --- | --- |")
    for suffix, files in sorted(by_format.items()):
        size = sum(Path(path).stat().st_size for path in files) / 1e6
        other = f"{rate(files, theirs):.2f}" if theirs is not None else "-"
        print(f"| {suffix} | {len(files)} | {size:.2f} | {rate(files, ours):.2f} | {other} |")


if __name__ == "__main__":
    main()
