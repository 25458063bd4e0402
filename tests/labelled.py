"""A few documents in Chinese and English with an own set about them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCUMENTS = {
    "泵站/维护手册.md": (
        "# 维护手册\n\n## 滤芯\n\n过滤器堵塞时泵会停止。滤芯每 45 天更换一次，\n更换前先关闭进水阀。\n\n"
        "## 报警\n\n红灯常亮表示水位过高，应立即打开备用泵。\n"
    ),
    "ferry.md": (
        "# Ferry timetable\n\n## Summer\n\nThe ferry leaves the north pier at nine. Bicycles travel free of charge.\n\n"
        "## Winter\n\nThere is no service in January.\n"
    ),
    "lease.py": '"""Leases."""\n\n\ndef renew_lease(key: str) -> bool:\n    return store.put(key, ttl=30)\n',
}
ROWS: list[dict[str, Any]] = [
    {
        "question": "滤芯多久更换一次？",
        "relevant": [{"document": "泵站/维护手册.md", "quote": "滤芯每 45 天更换一次，更换前先关闭进水阀。"}],
        "type": "fact",
    },
    {
        "question": "When does the ferry leave?",
        "relevant": [{"document": "ferry.md", "quote": "The ferry leaves the north pier at nine."}],
        "type": "fact",
    },
    {
        "question": "renew_lease",
        "relevant": [{"document": "lease.py", "quote": "store.put(key, ttl=30)"}],
        "type": "code",
    },
    {"question": "火星上的天气怎么样？"},
]


def write_documents(folder: Path) -> Path:
    for name, text in DOCUMENTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def write_rows(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def run_eval(*arguments: object, cwd: Path, typed: str | None = None) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[1])
    extra = os.environ.get("PYTHONPATH", "")
    return subprocess.run(
        [sys.executable, "-m", "eval", *map(str, arguments)],
        cwd=cwd,
        env={
            "PYTHONPATH": os.pathsep.join(filter(None, [root, extra])),
            "PATH": "/usr/bin:/bin", "COLUMNS": "200", "RECITE_PARSE_WORKERS": "0",
        },
        input=typed, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
