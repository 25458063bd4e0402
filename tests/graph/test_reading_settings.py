"""The settings of reading reach the document store."""

import pytest

from graph.errors import SettingsError
from graph.settings import read_settings
from stores.documents.reading_rules import ReadingRules


def test_i04_limits_and_ocr_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECITE_PARSE_WORKERS")
    assert read_settings(_env_file=None).reading == ReadingRules()
    for name, value in {
        "MAX_FILE_MB": "7",
        "MAX_PAGES": "9",
        "MAX_ARCHIVE_FILES": "3",
        "PARSE_SECONDS": "2.5",
        "PARSE_WORKERS": "5",
    }.items():
        monkeypatch.setenv(f"RECITE_{name}", value)
    monkeypatch.setenv("RECITE_OCR", "true")
    rules = read_settings(_env_file=None).reading
    assert rules == ReadingRules(file_bytes=7_000_000, pages=9, archive_files=3, seconds=2.5, workers=5, ocr=True)


def test_a_limit_of_nothing_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECITE_MAX_PAGES", "0")
    with pytest.raises(SettingsError, match=r"RECITE_MAX_PAGES='0' cannot be used"):
        read_settings(_env_file=None)
