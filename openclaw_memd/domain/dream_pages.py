"""DREAMS.md as text: blocks that memd keeps up, the diary, and whatever people write between. Pure.

Only what stands between a pair of our marks is ever replaced. The marks are OpenClaw's, so that both know the
other's blocks; a comment in our entries of the diary tells them from OpenClaw's.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

Phase = Literal["light", "rem", "deep"]
PHASES: Final[tuple[Phase, ...]] = ("light", "rem", "deep")
TITLES: Final = {"light": "Light Sleep", "rem": "REM Sleep", "deep": "Deep Sleep"}

DIARY_TITLE: Final = "Dream Diary"
BACKFILL: Final = "backfill"
"""In the place of a run, for an entry of the diary that a look through old notes or sessions wrote."""

_OURS: Final = "memd:dream"
_DIARY_START: Final = "<!-- openclaw:dreaming:diary:start -->"
_DIARY_END: Final = "<!-- openclaw:dreaming:diary:end -->"
_ENTRY_START: Final = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_PART_START: Final = re.compile(rf"^---[ \t]*\r?\n(?:[ \t]*\r?\n)*<!-- {_OURS} ", re.MULTILINE)
_LINE_END: Final = re.compile(r"[ \t]*(?:\r?\n|\r?\Z)")
_ABOVE_CHARS: Final = 200
_BOM: Final = "\ufeff"
_DATE_LINE: Final = re.compile(r"\*([^*\n]{4,80})\*")
_OWN_LINE: Final = re.compile(rf"<!-- {_OURS} ([\w.:-]{{1,80}}) -->")
_MONTH: Final = re.compile(r"([A-Z][a-z]+) (\d{1,2}), (\d{4})")
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    """One entry of the diary: the line that says when, the text, and our run; None: OpenClaw wrote it."""

    when: str
    text: str
    run_id: str | None

    @property
    def is_backfill(self) -> bool:
        """Whether it tells of an old note or session, and of no night."""
        return self.run_id == BACKFILL

    @property
    def day(self) -> date | None:
        """The day in ``when``; None when it says none."""
        found = _MONTH.search(self.when)
        if found is None or found[1] not in _MONTHS:
            return None
        try:
            return date(int(found[3]), _MONTHS.index(found[1]) + 1, int(found[2]))
        except ValueError:
            return None


def format_when(at: datetime, zone: str) -> str:
    """How the diary says when, as ``April 11, 2026 at 3:00 AM UTC``; ``at`` is in that ``zone``."""
    half = "AM" if at.hour < 12 else "PM"
    hour = at.hour % 12 or 12
    return f"{format_day(at)} at {hour}:{at.minute:02d} {half} {zone}"


def format_day(day: date) -> str:
    """How the diary says a day, as ``April 11, 2026``."""
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def put_block(text: str, phase: Phase, body: str) -> str:
    """``text`` with the block of ``phase`` saying ``body``; at the end when there was none.

    The first block is replaced, later ones of the same phase go.
    """
    end = _line_end(text)
    block = with_ends(f"## {TITLES[phase]}\n\n{_mark(phase, 'start')}\n{body}\n{_mark(phase, 'end')}\n", end)
    found = _find_blocks(text, phase)
    if not found:
        return f"{_parted(text, end)}{block}"
    ends = [0, *(following for _, following in found)]
    starts = [*(start for start, _ in found), len(text)]
    first, *rest = (text[begin:until] for begin, until in zip(ends, starts, strict=True))
    return first + block + "".join(rest)


def add_entry(text: str, entry: DiaryEntry) -> str:
    """``text`` with one more entry in the diary; as it is when the run has one.

    It comes before the last mark of an end; a diary with no end gets one. A new diary comes first.
    """
    if entry.run_id is not None and f"<!-- {_OURS} {entry.run_id} -->" in text:
        return text
    own = "" if entry.run_id is None else f"<!-- {_OURS} {entry.run_id} -->\n"
    opened, _, end = open_diary(text)
    written = with_ends(f"---\n\n*{entry.when}*\n\n{own}{entry.text}\n\n", end)
    end_at = _find_line(opened, _DIARY_END, last=True)
    assert end_at is not None
    return opened[:end_at] + written + opened[end_at:]


def open_diary(text: str) -> tuple[str, int, str]:
    """``text`` with both marks of a diary, where its first entry begins, and how lines end in it.

    A new diary comes first. One with no end ends where it begins: what stands below may be anybody's.
    """
    end = _line_end(text)
    start_at = _find_line(text, _DIARY_START)
    if start_at is None:
        head = with_ends(f"# {DIARY_TITLE}\n\n{_DIARY_START}\n", end)
        bom, rest = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
        gap = end if rest else ""
        return f"{bom}{head}{_DIARY_END}{end}{gap}{rest}", len(bom) + len(head), end
    at = text.find("\n", start_at) + 1 or len(text)
    glue = "" if text[:at].endswith("\n") else end
    end_at = _find_line(text, _DIARY_END, last=True)
    if end_at is None or end_at < start_at:
        return f"{text[:at]}{glue}{_DIARY_END}{end}{text[at:]}", at + len(glue), end
    return text, at, end


def read_diary(text: str) -> list[DiaryEntry]:
    """The entries of the diary, the oldest first."""
    start_at = _find_line(text, _DIARY_START)
    if start_at is None:
        return []
    end_at = _find_line(text, _DIARY_END, last=True)
    body = text[start_at + len(_DIARY_START) : end_at if end_at and end_at > start_at else len(text)]
    entries: list[DiaryEntry] = []
    for piece in _ENTRY_START.split(body):
        lines = [line.strip() for line in piece.strip().splitlines()]
        found = _DATE_LINE.fullmatch(lines[0]) if lines else None
        if found is None:
            continue
        own = next((match[1] for line in lines[1:] if (match := _OWN_LINE.fullmatch(line))), None)
        said = [line for line in lines[1:] if not line.startswith("<!--")]
        entries.append(DiaryEntry(found[1], "\n".join(said).strip(), own))
    return entries


def drop_entries(text: str, run_ids: Collection[str]) -> str:
    """``text`` without the entries that these runs wrote into the diary."""
    marks = [mark for run_id in run_ids if (mark := f"<!-- {_OURS} {run_id} -->") in text]
    if not marks:
        return text
    bounds = [match.start() for match in _ENTRY_START.finditer(text)]
    end_at = _find_line(text, _DIARY_END, last=True)
    for start, following in reversed(list(zip(bounds, [*bounds[1:], len(text)], strict=False))):
        end = following if end_at is None or not start < end_at < following else end_at
        if any(mark in text[start:end] for mark in marks):
            text = text[:start] + text[end:]
    return text


def put_report(text: str, phase: Phase, run_id: str, body: str) -> str:
    """A report of one phase as a file of its own, with what a run found of it.

    What earlier runs of the day found stays above. A run has one part, and one that only says once more what
    the last part says adds nothing: it goes on with a run that was cut off.
    """
    end = _line_end(text)
    part = with_ends(f"<!-- {_OURS} {run_id} -->\n{body}\n", end)
    if not text:
        return f"# {TITLES[phase]}{end}{end}{part}"
    starts = [match.start() for match in _PART_START.finditer(text)]
    own = text.find(f"<!-- {_OURS} {run_id} -->")
    if own >= 0:
        following = next((start for start in starts if start > own), None)
        rest = "" if following is None else f"{end}{text[following:]}"
        return f"{text[:own]}{part}{rest}"
    last = text[starts[-1] :] if starts else text
    if last.strip().endswith(f"-->{end}{with_ends(body, end)}".strip()):
        return text
    return f"{text.rstrip()}{end}{end}---{end}{end}{part}"


def _mark(phase: Phase, edge: Literal["start", "end"]) -> str:
    return f"<!-- openclaw:dreaming:{phase}:{edge} -->"


def _find_blocks(text: str, phase: Phase) -> list[tuple[int, int]]:
    """Where each block of a phase begins, with its heading, and ends. One with no end is none."""
    marks = [(at, following, True) for at, following in _lines_of(text, _mark(phase, "start"))]
    marks += [(at, following, False) for at, following in _lines_of(text, _mark(phase, "end"))]
    found: list[tuple[int, int]] = []
    start: int | None = None
    for at, following, starts in sorted(marks):
        if starts:
            start = at
        elif start is not None:
            found.append((_with_heading(text, start, phase), following))
            start = None
    return found


def _with_heading(text: str, start: int, phase: Phase) -> int:
    """Where the heading begins that stands right above a block, or above one blank line; else ``start``."""
    above = text[max(0, start - _ABOVE_CHARS) : start]
    heading = rf"(?:\A|(?<=\n))##[ \t]+{re.escape(TITLES[phase])}[ \t]*\r?\n(?:[ \t]*\r?\n)?\Z"
    found = re.search(heading, above)
    if found is None or (found.start() == 0 and start > len(above)):
        return start
    return start - len(above) + found.start()


def _lines_of(text: str, line: str) -> Iterator[tuple[int, int]]:
    """Where lines begin that say this, blanks around it, and where the next ones do.

    A file may be long, and a pattern that looks at each of its lines holds up everything else in the process.
    """
    at = text.find(line)
    while at >= 0:
        above = text[max(0, at - _ABOVE_CHARS) : at]
        before = above.rstrip(" \t")
        blanks = len(above) - len(before)
        behind = _LINE_END.match(text, at + len(line))
        if behind is not None and (before.endswith("\n") or at == blanks):
            yield at - blanks, behind.end()
        at = text.find(line, at + len(line))


def _find_line(text: str, line: str, *, last: bool = False) -> int | None:
    """Where a line that says this and nothing else begins."""
    found = None
    for start, _ in _lines_of(text, line):
        if text.startswith(line, start):
            found = start
            if not last:
                break
    return found


def _parted(text: str, end: str) -> str:
    """``text`` with a blank line after it, if there is any."""
    if not text or text == _BOM:
        return text
    whole = text if text.endswith("\n") else text + end
    return whole if whole.endswith(("\n\n", "\n\r\n")) else whole + end


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text and text.count("\r\n") * 2 > text.count("\n") else "\n"


def with_ends(text: str, end: str) -> str:
    """``text`` with lines that end so."""
    return text if end == "\n" else text.replace("\n", end)
