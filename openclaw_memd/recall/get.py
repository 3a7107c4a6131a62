"""Get: lines of one memory file as it is now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import msgspec
import trio

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.framing import Excerpt, frame
from openclaw_memd.errors import DeniedError, InvalidParamsError, TooLargeError, UnavailableError
from openclaw_memd.files.catalog import FileText, ListedFile, Listing, SkipReason
from openclaw_memd.files.names import CURATED, EXTRA, MACHINE_FOLDERS, NOTES
from openclaw_memd.index import readers
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.store import Store
from openclaw_memd.recall.types import GetAnswer, GetRequest, cite
from openclaw_memd.recall.visible import find_visible, may_see_any

_GONE = frozenset({SkipReason.MISSING, SkipReason.VANISHED})
_FOR_A_WHILE = frozenset({SkipReason.UNREADABLE, SkipReason.CHANGING, SkipReason.IGNORE_UNREADABLE})
_MEMORY_FOLDERS = (f"{NOTES}/", EXTRA)


@dataclass(frozen=True, slots=True)
class Window:
    """The lines of a window and where to go on; ``next_char`` is None unless a line alone was too long."""

    lines: tuple[str, ...]
    next_from: int | None
    next_char: int | None = None


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
        missing = GetAnswer("not_found", request.path)
        try:
            file = known or _find_listed(self._corpus.look_up(request.path), request.path)
        except (DeniedError, TooLargeError, UnavailableError):
            if request.view.sees_all_memory:
                raise
            return missing  # what a caller may not see counts as nothing
        if file is None or not may_see_any(request.view, file):
            return missing
        read = self._corpus.read(file)
        if isinstance(read, FileText):
            lines = _split(read.text)
            attribution = self._corpus.peek(file, read)
            visible = find_visible(request.view, file, attribution, len(lines))
            if visible == [range(1, len(lines) + 1)] or not lines:
                return _answer_within(request, file, lines, attribution)
            return _answer_visible(request, file, lines, attribution, visible)
        reason = SkipReason(read.reason)
        if reason in _GONE or not request.view.sees_all_memory:
            return missing
        raise _refusal(reason)


def cut_window(
    lines: Sequence[str], from_line: int, most_lines: int, max_chars: int, from_char: int = 1
) -> Window:
    """At most ``most_lines`` lines from ``from_line`` on, of at most ``max_chars`` characters with line ends.

    The first line begins with its character ``from_char``. It always comes, cut when it is too long alone.
    """
    asked = list(lines[from_line - 1 : from_line - 1 + most_lines])
    if not asked:
        return Window((), None)
    asked[0] = asked[0][from_char - 1 :]
    taken: list[str] = []
    room = max_chars
    for line in asked:
        room -= len(line) + (1 if taken else 0)
        if room < 0:
            break
        taken.append(line)
    next_char = None
    if not taken:
        taken.append(asked[0][:max_chars])
        next_char = from_char + max_chars
    end = from_line + len(taken)
    return Window(tuple(taken), end if end <= len(lines) else None, next_char)


def _check(request: GetRequest) -> None:
    if not request.path:
        raise InvalidParamsError("a path is needed", field="path")
    for name, value in (
        ("from", request.from_line),
        ("lines", request.lines),
        ("max_chars", request.max_chars),
        ("from_char", request.from_char),
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
    if any(path.startswith(f"{folder}/") for folder in MACHINE_FOLDERS):
        raise _refusal(SkipReason.MACHINE_FOLDER)
    for skip in listing.skipped:
        if path == skip.path or path.startswith(f"{skip.path.rstrip('/')}/"):
            raise _refusal(SkipReason(skip.reason))
    if path in CURATED or path.startswith("sessions/"):
        return None
    if path.startswith(_MEMORY_FOLDERS) and path.lower().endswith(".md"):
        return None
    raise DeniedError("the path does not name a memory file", reason="not_memory")


def _refusal(reason: SkipReason) -> DeniedError | TooLargeError | UnavailableError:
    if reason in _FOR_A_WHILE:
        return UnavailableError(reason.description, reason=reason.value)
    if reason is SkipReason.TOO_LARGE:
        return TooLargeError(reason.description, reason=reason.value)
    return DeniedError(reason.description, reason=reason.value)


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _answer_visible(
    request: GetRequest,
    file: ListedFile,
    lines: Sequence[str],
    attribution: Attribution,
    visible: Sequence[range],
) -> GetAnswer:
    """The window of a file of which only the ``visible`` lines are there; it ends with the first of them."""
    shown = next((part for part in visible if part.stop > request.from_line), None)
    if shown is None:
        return GetAnswer("not_found", request.path)
    first = max(request.from_line, shown.start)
    window = replace(
        request, from_line=first, from_char=request.from_char if first == request.from_line else 1
    )
    answer = _answer_within(window, file, lines[: shown.stop - 1], attribution)
    following = next((part.start for part in visible if part.start >= shown.stop), None)
    if following is not None and not answer.truncated:
        notice = f"There is more: continue with from={following}."
        answer = replace(answer, truncated=True, next_from=following, notice=notice)
    return replace(answer, total_lines=visible[-1].stop - 1)


def _answer_within(
    request: GetRequest, file: ListedFile, lines: Sequence[str], attribution: Attribution
) -> GetAnswer:
    """The window, with fewer characters than were asked for if the answer were larger than it may be."""
    answer = _answer(request, file, lines, attribution)
    while request.max_bytes is not None and len(answer.text) > 1:
        size = len(msgspec.json.encode(answer))
        if size <= request.max_bytes:
            break
        # The text's share of the size, less a little for the parts that stay.
        room = len(answer.text) * request.max_bytes * 9 // (size * 10)
        answer = _answer(replace(request, max_chars=max(1, room)), file, lines, attribution)
    return answer


def _answer(
    request: GetRequest, file: ListedFile, lines: Sequence[str], attribution: Attribution
) -> GetAnswer:
    window = cut_window(lines, request.from_line, request.lines, request.max_chars, request.from_char)
    shown = "\n".join(window.lines)
    last = request.from_line + max(0, len(window.lines) - 1)
    notice = _notice(window, request, lines)
    origin = attribution.of_lines(request.from_line, last).origin
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
        truncated=window.next_char is not None or window.next_from is not None,
        next_from=window.next_from,
        origin=origin,
        notice=notice,
        context=frame([excerpt], notice=notice) if shown else "",
        next_char=window.next_char,
    )


def _notice(window: Window, request: GetRequest, lines: Sequence[str]) -> str | None:
    first = request.from_line
    if first > len(lines):
        return f"The file has {len(lines)} {'line' if len(lines) == 1 else 'lines'}."
    if request.from_char > len(lines[first - 1]) + 1:
        return f"Line {first} has {len(lines[first - 1])} characters."
    if window.next_char is not None:
        return f"Line {first} was cut: its rest comes with from={first} and from_char={window.next_char}."
    if window.next_from is not None:
        return f"There is more: continue with from={window.next_from}."
    return None
