"""Own questions about a folder of documents: rows of `query` and `answer`; without an answer, a refusal is due."""

from pathlib import Path

from eval.errors import DatasetError
from eval.rgb import Case, json_rows, spellings


def own_cases(file: Path) -> list[Case]:
    """The questions of a file, as cases over all documents.

    Raises:
        DatasetError: the file cannot be read, or a row lacks `query` or `answer`.
    """
    cases: list[Case] = []
    for number, row in enumerate(json_rows(file), start=1):
        if not {"query", "answer"} <= row.keys():
            raise DatasetError(f"{file}, line {number}: expected `query` and `answer` (null if nothing answers it).")
        due = spellings(row["answer"]) if row["answer"] else ()
        case_id = f"{file.stem}-{number}"
        cases.append(Case(case_id, "own" if due else "other subject", str(row["query"]), (), due))
    return cases
