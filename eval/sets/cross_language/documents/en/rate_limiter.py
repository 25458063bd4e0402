"""Token-bucket rate limiter used by the public gateway.

The limiter sits in front of every tenant's requests. It is deliberately small: one lock, one dictionary,
no background thread. What follows in the comments is the reasoning that the code itself cannot show.
"""

import threading
import time
from dataclasses import dataclass


@dataclass
class Bucket:
    """The allowance of one tenant."""

    tokens: float
    updated: float


class RateLimiter:
    """Decides whether a request may pass now.

    A bucket refills at `rate` tokens a second and never holds more than `burst`. A tenant that was silent for
    a while may therefore send a short burst, which mobile apps do when they come back to the foreground.
    """

    # Buckets of tenants that have not been seen for an hour are dropped on the next sweep. We measured 40 bytes
    # of waste per forgotten tenant and 3 million tenants a month; without the sweep the gateway ran out of memory
    # on the nineteenth day.
    IDLE_SECONDS = 3600

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, Bucket] = {}
        self._lock = threading.Lock()

    def allow(self, tenant: str, cost: float = 1.0) -> bool:
        """Take `cost` tokens, or refuse without taking any."""
        # Monotonic time on purpose: when the operators corrected the wall clock backwards by two minutes,
        # every tenant was locked out until the clock had caught up.
        now = time.monotonic()
        with self._lock:
            bucket = self._buckets.setdefault(tenant, Bucket(self._burst, now))
            bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.updated) * self._rate)
            bucket.updated = now
            if bucket.tokens < cost:
                return False
            bucket.tokens -= cost
            return True

    def sweep(self) -> int:
        """Forget idle tenants; returns how many."""
        # Called by whoever happens to handle the ten-thousandth request, not by a timer: a timer kept the
        # process alive at shutdown and the deployment waited for its full grace period.
        now = time.monotonic()
        with self._lock:
            idle = [name for name, bucket in self._buckets.items() if now - bucket.updated > self.IDLE_SECONDS]
            for name in idle:
                del self._buckets[name]
        return len(idle)
