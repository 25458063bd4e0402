"""True erasing: after it the bytes of what was deleted are in no file of the database."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncEngine

_ATTEMPTS = 20
_PAUSE_S = 0.1


async def scrub(engine: AsyncEngine, *, vacuum: bool = False) -> bool:
    """Empty the write-ahead log, which still holds deleted rows; with `vacuum`, rewrite the file as well.

    The pages themselves were zeroed by `secure_delete`. Returns whether the log was emptied: a reader that
    never ends can keep it. PostgreSQL does its own housekeeping.
    """
    if engine.dialect.name != "sqlite":
        return True
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        if vacuum:
            await connection.exec_driver_sql("VACUUM")
        for _ in range(_ATTEMPTS):
            busy = (await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")).one()[0]
            if not busy:
                return True
            await asyncio.sleep(_PAUSE_S)
    return False
