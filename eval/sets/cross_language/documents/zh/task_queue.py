"""后台任务队列：订单导出、报表和图片处理都从这里走。

数据放在一张表里，不依赖额外的消息中间件。吞吐量每秒几百个任务，足够本公司使用。
"""

import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta

# 租约九十秒。早先定为十分钟，一台机器断电后，它手里的任务要等十分钟才有人接，门店等不起。
LEASE = timedelta(seconds=90)
# 重试五次以后转入死信。第六次成功的任务在一年的记录里一个也没有。
MAX_ATTEMPTS = 5


@dataclass
class Task:
    """一个任务。"""

    id: int
    kind: str
    payload: dict
    attempts: int
    run_at: datetime


def backoff(attempts: int) -> timedelta:
    """第几次失败以后等多久再试。

    指数增长，外加随机抖动。没有抖动的时候，数据库重启以后所有任务在同一秒醒来，又把它压垮一次。
    """
    seconds = min(600, 2**attempts * 5)
    return timedelta(seconds=seconds * random.uniform(0.5, 1.5))


def claim(connection, worker: str, now: datetime) -> Task | None:
    """领取一个到期的任务。

    用 SKIP LOCKED 而不是先查再改：两个工人同时查到同一行，导出文件曾经被发了两遍。
    领取时只看优先级和到期时间，不保证先进先出；需要次序的业务请自己在载荷里带序号。
    """
    row = connection.execute(
        "SELECT id, kind, payload, attempts, run_at FROM tasks WHERE run_at <= %s "
        "ORDER BY priority DESC, run_at LIMIT 1 FOR UPDATE SKIP LOCKED",
        (now,),
    ).fetchone()
    if row is None:
        return None
    connection.execute("UPDATE tasks SET run_at = %s, worker = %s WHERE id = %s", (now + LEASE, worker, row[0]))
    return Task(row[0], row[1], json.loads(row[2]), row[3], row[4])


def fail(connection, task: Task, error: Exception, now: datetime) -> None:
    """记下失败；次数用完则转入死信表，由值班人员在网页上决定重放还是丢弃。"""
    # 错误信息截到五百字：有一次供应商返回了整个网页，表一夜之间涨到四十吉字节。
    message = str(error)[:500]
    if task.attempts + 1 >= MAX_ATTEMPTS:
        connection.execute("INSERT INTO dead_tasks SELECT *, %s FROM tasks WHERE id = %s", (message, task.id))
        connection.execute("DELETE FROM tasks WHERE id = %s", (task.id,))
        return
    later = now + backoff(task.attempts + 1)
    connection.execute(
        "UPDATE tasks SET attempts = attempts + 1, run_at = %s, error = %s WHERE id = %s", (later, message, task.id)
    )
