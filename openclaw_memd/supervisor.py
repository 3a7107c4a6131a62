"""Keeping tasks up and telling the service manager: restart with backoff, readiness, watchdog."""

import os
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog
import trio

from openclaw_memd.errors import MemdError

log = structlog.get_logger("memd.supervisor")

FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 60.0
STEADY_AFTER_S = 120.0
"""A task that ran this long before it failed starts again after the first delay."""

PROBE_TIMEOUT_S = 10.0
"""How long the parts that must live may take to prove that they do."""


@dataclass(slots=True)
class Health:
    """What ``status`` tells of one supervised task; ``last_error`` is safe to show."""

    name: str
    running: bool = False
    restarts: int = 0
    last_error: str | None = None


async def keep_running(name: str, task: Callable[[], Awaitable[None]], health: Health | None = None) -> None:
    """Run ``task`` until it returns; when it raises, again after 1 s, doubling to 60 s.

    Cancellation passes through; only failures of kind ``Exception`` are survived.
    """
    health = health or Health(name)
    delay_s = FIRST_DELAY_S
    while True:
        started = trio.current_time()
        health.running = True
        try:
            await task()
        except Exception as error:
            health.last_error = error.message if isinstance(error, MemdError) else type(error).__name__
            health.restarts += 1
            if trio.current_time() - started >= STEADY_AFTER_S:
                delay_s = FIRST_DELAY_S
            log.warning("task failed", state=name, restarts=health.restarts, delay_s=delay_s, exc_info=error)
        else:
            return
        finally:
            health.running = False
        await trio.sleep(delay_s)
        delay_s = min(delay_s * 2, LONGEST_DELAY_S)


class ServiceManager:
    """The notification socket of systemd (``sd_notify``); does nothing where there is none."""

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        self._address = env.get("NOTIFY_SOCKET", "")
        self._watchdog_us = _watchdog_us(env)

    @property
    def watchdog_interval_s(self) -> float | None:
        """Seconds between signs of life, half of what the manager asks for; None when it asks for none."""
        return self._watchdog_us / 2e6 if self._watchdog_us else None

    def notify(self, *assignments: str) -> bool:
        """Send assignments such as ``READY=1``; whether there was somebody to send them to."""
        if not self._address:
            return False
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.setblocking(False)
            try:
                channel.sendto("\n".join(assignments).encode(), address)
            except OSError as error:
                log.warning("service manager not reached", errno=error.errno)
                return False
        return True

    async def feed_watchdog(self, prove_alive: Callable[[], Awaitable[None]]) -> None:
        """Tell the manager that we live, as often as it asks, each time only after ``prove_alive`` returned.

        A proof that hangs sends nothing, and the manager restarts the process. What a proof raises passes.
        """
        interval_s = self.watchdog_interval_s
        if interval_s is None:
            return
        while True:
            with trio.move_on_after(min(interval_s, PROBE_TIMEOUT_S)) as scope:
                await prove_alive()
            if scope.cancelled_caught:
                log.error("no sign of life from the writer", delay_s=interval_s)
            else:
                self.notify("WATCHDOG=1")
            await trio.sleep(interval_s)


def leave_within(limit_s: float, *, code: int = 1) -> None:
    """End the process after ``limit_s`` seconds if it is still there then, whatever its threads wait for.

    Everything on disk is made to survive a kill, so a hard end costs nothing but the exit code.
    """
    timer = threading.Timer(limit_s, os._exit, (code,))
    timer.daemon = True
    timer.start()


def _watchdog_us(env: Mapping[str, str]) -> int:
    """``WATCHDOG_USEC`` when it is meant for this process (sd_watchdog_enabled(3)), else 0."""
    pid, microseconds = env.get("WATCHDOG_PID", ""), env.get("WATCHDOG_USEC", "")
    if not microseconds.isdigit() or (pid and pid != str(os.getpid())):
        return 0
    return int(microseconds)
