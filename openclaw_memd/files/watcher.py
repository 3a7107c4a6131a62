"""Watching the folders of a listing. Events are hints that a fresh look is due, never facts."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import structlog
import trio
from watchfiles import watch
from watchfiles._rust_notify import WatchfilesRustInternalError

from openclaw_memd.files.catalog import ListedFolder, Listing
from openclaw_memd.files.hints import EVERYTHING, hints_between, hints_of_events
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots

__all__ = ["EVERYTHING", "WatchState", "Watcher"]

_QUIET_MS = 50  # a batch of events ends when this long brought no new path
_BATCH_MS = 400
_TICK_MS = 200  # the longest wait until a stop is seen
_ROOTS_S = 1.0
_FIRST_BACKOFF_S = 1.0
_LONGEST_BACKOFF_S = 60.0
_LOOK_SHARE = 0.1  # of the time, at most, goes into looks while polling
_PATH_BYTES = 4095  # the kernel watches no longer path; the periodic look sees what lies deeper
_WARNING = (
    "file events are not available, so the folders are looked at every few seconds instead; if the limits of"
    " inotify are the cause: sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512"
)

_log = structlog.get_logger("memd.watch")

WatchMode = Literal["events", "polling", "parked"]
OnHint = Callable[[frozenset[str]], None]


@dataclass(frozen=True, slots=True)
class WatchState:
    """How changes are noticed now.

    ``parked``: the watch is not set up yet, or the workspace is missing or unreadable and is waited for.
    ``restarts`` counts how often events failed. ``warning`` is a plain sentence while they do.
    """

    mode: WatchMode
    restarts: int = 0
    warning: str | None = None


class Watcher:
    """Gives hints when something below the roots may have changed.

    A hint is the virtual path of a file, that of a folder with a final '/', or `EVERYTHING`. Only the folders
    that ``look`` reads are watched, each by itself: what is pruned costs nothing, links are not followed.
    When folders come or go the watch is set up anew. While events fail, polling takes over and they are tried
    again after 1 s, doubling to 60 s. ``look`` runs in a thread.
    """

    def __init__(
        self, roots: Roots, look: Callable[[], Listing], *, poll_s: float = 5.0, verify_s: float = 300.0
    ) -> None:
        self._roots = roots
        self._look = look
        self._poll_s = poll_s
        self._verify_s = verify_s
        self._limiter = trio.CapacityLimiter(1)
        self._state = WatchState("parked")
        self._on_started: Callable[[], None] | None = None

    @property
    def state(self) -> WatchState:
        """The present mode."""
        return self._state

    async def run(
        self, on_hint: OnHint, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Watch until cancelled; a cancellation is seen within a quarter of a second.

        Every time a watch is set up `EVERYTHING` is hinted, since what changed before was not seen.
        ``task_status`` is told after the first hint.
        """
        self._on_started = task_status.started
        before: Listing | None = None
        retry_at, backoff_s = trio.current_time(), _FIRST_BACKOFF_S
        while True:
            began_at = trio.current_time()
            listing = await trio.to_thread.run_sync(self._look, limiter=self._limiter)
            now = trio.current_time()
            if _has_workspace(listing) and now >= retry_at:
                try:
                    folders = listing.folders
                    del listing  # there may be tens of thousands of files, and events need their folders only
                    await trio.to_thread.run_sync(self._follow, folders, on_hint, limiter=self._limiter)
                    before, backoff_s = None, _FIRST_BACKOFF_S
                except FileNotFoundError:  # a folder went after the look
                    await trio.sleep(_TICK_MS / 1000)
                except (OSError, WatchfilesRustInternalError) as error:
                    self._fall_back(error)
                    retry_at = trio.current_time() + backoff_s
                    backoff_s = min(_LONGEST_BACKOFF_S, 2 * backoff_s)
                continue
            if not _has_workspace(listing):
                self._state = WatchState("parked", self._state.restarts, self._state.warning)
            if hints := hints_between(before, listing):
                self._report(on_hint, hints)
            before = listing
            poll_s = self._poll_s if _has_workspace(listing) else _ROOTS_S
            pause_s = max(poll_s, (now - began_at) / _LOOK_SHARE)
            await trio.sleep(min(pause_s, max(0.0, retry_at - now)) if retry_at > now else pause_s)

    def _report(self, on_hint: OnHint, hints: frozenset[str]) -> None:
        on_hint(hints)
        if self._on_started is not None:
            self._on_started()
            self._on_started = None

    def _fall_back(self, error: Exception) -> None:
        if self._state.mode != "polling":
            _log.warning(_WARNING, error_type=type(error).__name__, errno=getattr(error, "errno", None))
        self._state = WatchState("polling", self._state.restarts + 1, _WARNING)

    def _arm(self, on_hint: OnHint) -> None:
        if self._state.mode == "polling":
            _log.info("file events are available again", restarts=self._state.restarts)
        self._state = WatchState("events", self._state.restarts)
        self._report(on_hint, frozenset({EVERYTHING}))

    def _follow(self, folders: Sequence[ListedFolder], on_hint: OnHint) -> None:
        """Turn events into hints until other folders than ``folders`` are to be watched.

        Runs in a thread, since setting up thousands of watches takes a while.
        """
        watched = self._places(folders)
        roots = self._root_identities()
        roots_at = time.monotonic() + _ROOTS_S
        verify_at = 0.0  # the first batch proves that the watch is on: then look whether it came too late
        events = watch(
            *watched,
            watch_filter=None,
            debounce=_BATCH_MS,
            step=_QUIET_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            recursive=False,
            ignore_permission_denied=True,
        )
        with contextlib.closing(events):
            for batch in events:
                trio.from_thread.check_cancelled()
                now = time.monotonic()
                hints, has_folders = hints_of_events((path for _, path in batch), watched)
                if verify_at == 0.0:
                    trio.from_thread.run_sync(self._arm, on_hint)
                elif hints:
                    trio.from_thread.run_sync(self._report, on_hint, hints)
                if any(path in watched for _, path in batch):
                    return
                if has_folders or now >= verify_at:
                    verify_at = now + self._verify_s
                    if self._look().folders != folders:
                        return
                if now >= roots_at:
                    roots_at = now + _ROOTS_S
                    if self._root_identities() != roots:
                        return

    def _places(self, folders: Iterable[ListedFolder]) -> dict[str, str]:
        """The real paths to watch and their virtual ones; of two names for one folder the first counts."""
        places: dict[str, str] = {}
        for folder in folders:
            place = os.path.join(self._roots.place(folder.root), folder.relative).rstrip("/") or "/"
            if len(os.fsencode(place)) <= _PATH_BYTES:
                places.setdefault(place, folder.path)
        return places

    def _root_identities(self) -> list[tuple[int, int] | None]:
        return [_identity(str(self._roots.place(key))) for key in self._roots.keys]


def _has_workspace(listing: Listing) -> bool:
    return any(folder.root == WORKSPACE for folder in listing.folders)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
