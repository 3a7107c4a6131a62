"""Get: lines of one memory file as it is now."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import trio

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.framing import Excerpt, frame
from openclaw_memd.errors import DeniedError, InvalidParamsError, TooLargeError, UnavailableError
from openclaw_memd.files.beneath import FileText
from openclaw_memd.files.catalog import ListedFile, Listing, SkipReason
from openclaw_memd.index import readers
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.origins import attribute
from openclaw_memd.index.store import Store
from openclaw_memd.recall.types import GetAnswer, GetRequest, cite

_GONE = frozenset({SkipReason.MISSING, SkipReason.VANISHED})
_FOR_A_WHILE = frozenset({SkipReason.UNREADABLE, SkipReason.CHANGING, SkipReason.IGNORE_UNREADABLE})
_MEMORY_NAMES = ("MEMORY.md", "USER.md")
_MEMORY_FOLDERS = ("memory/", "extra/")


@dataclass(frozen=True, slots=True)
class Window:
    """The lines of a window and what lies behind it; ``is_cut`` says that a line alone was too long."""

    lines: tuple[str, ...]
    is_cut: bool
    remains: bool


class Get:
    """Reads the memory files of one workspace, and nothing else."""

    def __init__(self, index: Store, corpus: Corpus) -> None:
        self._index = index
        self._corpus = corpus
        self._threads = trio.CapacityLimiter(2)

    async def get(self, request: GetRequest) -> GetAnswer:
        """A window of the file as it is on the disk.

        Raises:
            InvalidParamsError: there is no path, or a number is under 1.
            DeniedError: the path leads out of the memory, is or goes through a symbolic link (``symlink``),
                or names something that is no memory file; ``reason`` tells which.
            TooLargeError, UnavailableError: the file cannot be read.
        """
        _check(request)
        row = await self._index.read(partial(readers.file, path=request.path))
        known = None if row is None else row.file
        return await trio.to_thread.run_sync(
            partial(self._get, request, known), limiter=self._threads, abandon_on_cancel=True
        )

    def _get(self, request: GetRequest, known: ListedFile | None) -> GetAnswer:
        file = known or _find_listed(self._corpus.list(), request.path)
        missing = GetAnswer("not_found", request.path)
        if file is None:
            return missing
        read = self._corpus.read(file)
        if isinstance(read, FileText):
            return _answer(request, file, read.text)
        reason = SkipReason(read.reason)
        if reason in _GONE:
            return missing
        raise _refusal(reason)


def cut_window(lines: Sequence[str], from_line: int, most_lines: int, max_chars: int) -> Window:
    """At most ``most_lines`` lines from ``from_line`` on, of at most ``max_chars`` characters with line ends.

    The first line always comes, cut when it is too long alone.
    """
    asked = lines[from_line - 1 : from_line - 1 + most_lines]
    taken: list[str] = []
    room = max_chars
    for line in asked:
        room -= len(line) + (1 if taken else 0)
        if room < 0:
            break
        taken.append(line)
    if asked and not taken:
        return Window((asked[0][:max_chars],), is_cut=True, remains=from_line < len(lines))
    return Window(tuple(taken), is_cut=False, remains=from_line - 1 + len(taken) < len(lines))


def _check(request: GetRequest) -> None:
    if not request.path:
        raise InvalidParamsError("a path is needed", field="path")
    for name, value in (
        ("from", request.from_line),
        ("lines", request.lines),
        ("max_chars", request.max_chars),
    ):
        if value < 1:
            raise InvalidParamsError("must be at least 1", field=name)
    parts = request.path.split("/")
    if request.path.startswith("/") or ".." in parts or "\0" in request.path:
        raise DeniedError("the path leads out of the memory", reason="outside")


def _find_listed(listing: Listing, path: str) -> ListedFile | None:
    """The file of this path, which may be newer than the index; None when a memory file could be there."""
    for file in listing.files:
        if file.path == path:
            return file
    for skip in listing.skipped:
        if path == skip.path or path.startswith(f"{skip.path.rstrip('/')}/"):
            raise _refusal(SkipReason(skip.reason))
    if path in _MEMORY_NAMES or (path.startswith(_MEMORY_FOLDERS) and path.lower().endswith(".md")):
        return None
    raise DeniedError("the path does not name a memory file", reason="not_memory")


def _refusal(reason: SkipReason) -> DeniedError | TooLargeError | UnavailableError:
    if reason in _FOR_A_WHILE:
        return UnavailableError(reason.description, reason=reason.value)
    if reason is SkipReason.TOO_LARGE:
        return TooLargeError(reason.description, reason=reason.value)
    return DeniedError(reason.description, reason=reason.value)


def _answer(request: GetRequest, file: ListedFile, text: str) -> GetAnswer:
    lines = text.removesuffix("\n").split("\n") if text else []
    window = cut_window(lines, request.from_line, request.lines, request.max_chars)
    shown = "\n".join(window.lines)
    last = request.from_line + max(0, len(window.lines) - 1)
    next_from = last + 1 if window.remains and not window.is_cut else None
    notice = _notice(window, request, next_from)
    origin = attribute(file, lines).of_lines(request.from_line, last).origin
    excerpt = Excerpt(
        cite(file.path, request.from_line, last), shown, origin, file.tier, note_date(file.path)
    )
    return GetAnswer(
        status="ok",
        path=file.path,
        text=shown,
        from_line=request.from_line,
        lines=len(window.lines),
        total_lines=len(lines),
        truncated=window.is_cut or window.remains,
        next_from=next_from,
        origin=origin,
        notice=notice,
        context=frame([excerpt], notice=notice) if shown else "",
    )


def _notice(window: Window, request: GetRequest, next_from: int | None) -> str | None:
    if window.is_cut:
        return f"Line {request.from_line} is longer than {request.max_chars} characters and was cut."
    if next_from is not None:
        return f"There is more: continue with from={next_from}."
    return None
