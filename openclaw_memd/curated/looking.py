"""Reading and attributing the curated files; blocks, so it is used in worker threads."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from openclaw_memd.curated.entries import CuratedEntry, CuratedState, CuratedText
from openclaw_memd.domain.curated_files import MOST_ENTRIES
from openclaw_memd.domain.line_hashes import BLANK, hash_line
from openclaw_memd.domain.markdown import Entry, parse_entries
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.beneath import read_file
from openclaw_memd.files.catalog import FileText, ListedFile, Skipped, SkipReason
from openclaw_memd.files.curated_stamps import CuratedStamps, stamp_curated
from openclaw_memd.files.listing import look_at_curated
from openclaw_memd.files.names import CURATED, WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.origins import Attribution, Attributor
from openclaw_memd.interpreter import made_to_last

HARD_LINK: Final = "hard_link"
"""The problem of a file with a second name: it is read, but memd does not write to it."""

UNKNOWN_ORIGINS: Final = "unknown_origins"
"""The problem of a file of which the ledger cannot tell now who is behind it, so that it is not used."""

_GONE: Final = frozenset({SkipReason.MISSING, SkipReason.NOT_A_FOLDER})

DaysOfLines = Callable[[str, Collection[bytes]], Mapping[bytes, date]]
"""On which day lines of a file were recorded, by their hashes; may raise ``UnavailableError``."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """One file as it was read, and its entries: those of ``text`` with ``\\n`` line ends.

    Of more than are of use it is one more than that.
    """

    file: ListedFile
    found: FileText
    text: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What the look of this ``number`` found.

    ``asked`` is the last question about origins that it answers, -1 when it answers none.
    """

    number: int
    asked: int
    stamps: CuratedStamps | None
    texts: Mapping[str, ReadText]
    state: CuratedState


NOTHING_SEEN: Final = Seen(0, -1, None, {}, CuratedState(0, {}, {}))


class CuratedLook:
    """Looks at the curated files of one workspace, at no more of them than changed since the look before."""

    def __init__(
        self, roots: Roots, rules: FileRules, attributor: Attributor, days_of_lines: DaysOfLines
    ) -> None:
        self._roots = roots
        self._rules = rules
        self._attributor = attributor
        self._days_of_lines = days_of_lines

    def see(
        self,
        before: Seen,
        number: int,
        asked: int,
        tell_read: Callable[[Mapping[str, ReadText]], None] = lambda _texts: None,
    ) -> Seen:
        """The files now; ``before`` itself when nothing about them changed.

        ``tell_read`` hears what was read when files changed, before the ledger is asked, which may take long.
        """
        stamps = stamp_curated(self._roots)
        is_fresh = any(text.found.state.fresh for text in before.texts.values())
        if stamps == before.stamps and not is_fresh and asked == before.asked:
            return before
        texts, problems = self._read(before)
        files, answered = before.state.files, asked
        is_changed = _hashes(texts) != _hashes(before.texts)
        if is_changed:
            tell_read(texts)
        if is_changed or asked != before.asked:
            files, answered = self._show(before, texts, asked)
        problems |= dict.fromkeys(texts.keys() - files.keys(), UNKNOWN_ORIGINS)
        problems |= dict.fromkeys(stamps.linked & files.keys(), HARD_LINK)
        state = before.state
        if before.stamps is None or files != state.files or problems != state.problems:
            state = CuratedState(state.version + 1, files, problems)
        return Seen(number, answered, stamps, texts, state)

    def _read(self, before: Seen) -> tuple[dict[str, ReadText], dict[str, str]]:
        """Every file that can be read, and why others cannot. While the workspace is not there, no file is;
        while it cannot be read, nothing is known to be gone. Of a file that is written to all the time, the
        last text is the best there is.
        """
        listing = look_at_curated(self._roots, self._rules)
        if "" in listing.unreadable:
            reasons = {skip.path: skip.reason for skip in listing.skipped}
            return {} if reasons.get(WORKSPACE) in _GONE else dict(before.texts), {}
        problems = {skip.path: str(skip.reason) for skip in listing.skipped if skip.path in CURATED}
        texts: dict[str, ReadText] = {}
        for file in listing.files:
            known = before.texts.get(file.path)
            match read_file(self._roots, file, self._rules.file_bytes):
                case FileText() as found:
                    texts[file.path] = _parse(file, found, known)
                case Skipped(reason=SkipReason.VANISHED):
                    pass
                case Skipped(reason=reason):
                    problems[file.path] = str(reason)
                    if reason == SkipReason.CHANGING and known is not None:
                        texts[file.path] = _doubt(known)
        return texts, problems

    def _show(
        self, before: Seen, texts: Mapping[str, ReadText], asked: int
    ) -> tuple[Mapping[str, CuratedText], int]:
        """The files with who is behind them, and which question that answers.

        When the ledger cannot tell, a file that is as it was stays as it was known; others are left out.
        """
        try:
            found = self._attribute(tuple(texts.values()))
        except (UnavailableError, DamagedError):
            known = before.state.files
            same = {
                name for name, text in texts.items() if _hash_of(text) == _hash_of(before.texts.get(name))
            }
            return {name: file for name, file in known.items() if name in same}, -1
        pairs = zip(texts.items(), found, strict=True)
        return {name: self._show_one(text, attribution) for (name, text), attribution in pairs}, asked

    def _attribute(self, texts: Sequence[ReadText]) -> Sequence[Attribution]:
        """Who is behind the lines, remembered as the indexer remembers it, so that both say the same."""
        try:
            return self._attributor.attribute([(text.file, text.found) for text in texts])
        except UnavailableError:  # it may be that the ledger can be read and not written
            return [
                self._attributor.peek(text.file, text.found.text.split("\n"), text.found.state.hash)
                for text in texts
            ]

    def _show_one(self, text: ReadText, attribution: Attribution) -> CuratedText:
        lines = [hash_line(line) for line in text.text.split("\n")]
        days = self._days(text.file.path, frozenset(lines) - {BLANK})
        unvouched = _unvouched(attribution, len(lines))
        with made_to_last(len(text.entries)):
            entries = tuple(
                CuratedEntry(
                    file=text.file.path,
                    entry=entry,
                    provenance=attribution.of_lines(entry.start_line, entry.end_line),
                    observed_on=entry.annotations.observed
                    or max(
                        filter(None, map(days.get, lines[entry.start_line - 1 : entry.end_line])),
                        default=None,
                    ),
                )
                for entry in _under_vouched_headings(text, unvouched)
            )
        return CuratedText(text.file.path, text.text, text.found.state.hash.hex(), entries, unvouched)

    def _days(self, file: str, hashes: Collection[bytes]) -> Mapping[bytes, date]:
        try:
            return self._days_of_lines(file, hashes)
        except (UnavailableError, DamagedError):
            return {}


def _unvouched(attribution: Attribution, lines: int) -> frozenset[int]:
    ends = [*(first for first, _ in attribution.runs[1:]), lines + 1]
    return frozenset(
        line
        for (first, provenance), end in zip(attribution.runs, ends, strict=True)
        if not is_trusted(provenance.origin)
        for line in range(first, end)
    )


def _under_vouched_headings(text: ReadText, unvouched: Collection[int]) -> Sequence[Entry]:
    """The entries as if lines that nobody vouches for were no headings, which tell what an entry is about."""
    if not unvouched:
        return text.entries
    lines = ["" if number in unvouched else line for number, line in enumerate(text.text.split("\n"), 1)]
    present = parse_entries("\n".join(lines), MOST_ENTRIES + 1, like=text.entries)
    paths = {entry.start_line: entry.heading_path for entry in present}
    return [replace(entry, heading_path=paths.get(entry.start_line, ())) for entry in text.entries]


def _parse(file: ListedFile, found: FileText, known: ReadText | None) -> ReadText:
    if known is not None and known.found.state.hash == found.state.hash:
        return replace(known, file=file, found=found)
    text = found.text.replace("\r\n", "\n")
    like = () if known is None else known.entries
    with made_to_last(text.count("\n")):
        return ReadText(file, found, text, tuple(parse_entries(text, MOST_ENTRIES + 1, like=like)))


def _doubt(text: ReadText) -> ReadText:
    """``text`` such that the next look reads the file again, whatever its stamp."""
    return replace(text, found=replace(text.found, state=replace(text.found.state, fresh=True)))


def _hash_of(text: ReadText | None) -> bytes | None:
    return None if text is None else text.found.state.hash


def _hashes(texts: Mapping[str, ReadText]) -> dict[str, bytes]:
    return {name: text.found.state.hash for name, text in texts.items()}
