"""When a watched folder is said to have changed."""

import asyncio
import contextlib
import os

from stores.documents.watch import changes


class Looks:
    """A clock that changes files between looks and ends after the last one."""

    def __init__(self, *steps):
        self.steps = list(steps)

    async def __call__(self, _seconds):
        if not self.steps:
            raise asyncio.CancelledError
        step = self.steps.pop(0)
        if step:
            step()


async def told(folder, *steps):
    """After how many steps a change was told."""
    looks, at = Looks(*steps), []
    with contextlib.suppress(asyncio.CancelledError):
        async for _ in changes([folder], sleep=looks):
            at.append(len(steps) - len(looks.steps))  # noqa: PERF401 - an error ends it, and what came before counts
    return at


def writing(path, text):
    return lambda: path.write_text(text)


async def test_the_first_look_is_told_and_a_quiet_folder_says_nothing_more(library):
    assert await told(library, None, None, None) == [0]


async def test_a_change_is_told_when_it_has_come_to_rest(library):
    file = library / "new.md"
    steps = (writing(file, "a"), writing(file, "ab"), writing(file, "abc"), None, None)
    assert await told(library, *steps) == [0, 4]


async def test_a_deleted_and_a_moved_file_are_changes(library):
    travel = library / "travel.md"
    steps = (lambda: travel.rename(library / "x.md"), None, (library / "dao.py").unlink, None)
    assert await told(library, *steps) == [0, 2, 4]


async def test_a_file_that_never_rests_is_told_in_the_end(library):
    log = library / "log.txt"
    steps = [writing(log, "x" * n) for n in range(1, 12)]
    assert await told(library, *steps) == [0, 10]


async def test_a_folder_that_vanishes_says_nothing_until_it_is_back(library):
    away = library.with_name("away")
    steps = (lambda: library.rename(away), None, None, lambda: away.rename(library), None)
    assert await told(library, *steps) == [0]


async def test_an_edit_of_the_same_size_is_a_change(library):
    file = library / "travel.md"

    def edit():
        text = file.read_text()
        file.write_text(text[::-1])
        os.utime(file, ns=(1, 1))

    assert await told(library, edit, None) == [0, 2]
