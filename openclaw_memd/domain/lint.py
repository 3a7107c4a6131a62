"""What is to be looked at in a curated file. Nothing here changes anything."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from openclaw_memd.domain.annotations import Annotations
from openclaw_memd.domain.curated_files import MOST_ENTRIES, USER, bare_text, is_active, is_memory, scope_of
from openclaw_memd.domain.lint_annotations import find_malformed
from openclaw_memd.domain.lint_rules import Rule
from openclaw_memd.domain.markdown import Entry, parse_entries
from openclaw_memd.domain.passages import PASSAGE_CHARS
from openclaw_memd.domain.stopwords import CHINESE_PHRASES, JAPANESE_PHRASES, LISTS
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.traces import Trace, Traces, trace_text
from openclaw_memd.domain.triggers import split_words
from openclaw_memd.domain.unfit import find_unfit
from openclaw_memd.domain.user_contract import count_orders, is_order

ENTRY_CHARS: Final = PASSAGE_CHARS
"""A longer entry is never shown whole by a search."""

_COMMON: Final = (*LISTS.values(), CHINESE_PHRASES, JAPANESE_PHRASES)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at, at ``line`` (from 1) of ``file``. ``detail`` holds nothing of the text."""

    file: str
    line: int
    rule: Rule
    detail: str


def lint_text(
    file: str,
    text: str,
    *,
    today: date,
    budget_chars: int,
    analyzer: Analyzer,
    like: Sequence[Entry] = (),
) -> list[Finding]:
    """What is to be looked at in the ``text`` of a curated file, in the order of lines.

    ``like`` are entries of it that are known, as in ``parse_entries``.
    """
    entries = parse_entries(text, like=like)
    found = [*_over_budget(text, budget_chars), *_too_many(entries)]
    if len(entries) <= MOST_ENTRIES:
        active = [entry for entry in entries if is_active(entry)]
        for entry in entries:
            found += _look_at(file, entry, today)
        found += _repeated(active, analyzer)
        found += _same_keys(file, active)
    return _findings(file, found)


def lint_entry(
    file: str,
    text: str,
    entry: Entry,
    entries: Sequence[Entry],
    *,
    today: date,
    budget_chars: int,
    analyzer: Analyzer,
) -> list[Finding]:
    """What is to be looked at about one of the ``entries`` of ``text``, and about the length of that.

    The others are looked at only as far as they may say the same.
    """
    others = [one for one in entries if is_active(one) and one != entry]
    found = [*_over_budget(text, budget_chars), *_look_at(file, entry, today)]
    if is_active(entry):
        trace = trace_text(entry.text, analyzer)
        twins = (one for one in others if trace_text(one.text, analyzer).is_like(trace))
        if (twin := next(twins, None)) is not None:
            is_exact = trace.hash == trace_text(twin.text, analyzer).hash
            found.append(_repeat(entry.start_line, twin.start_line, is_exact=is_exact))
        rivals = [one for one in others if _subject(file, one) == _subject(file, entry)]
        found += _same_keys(file, [*rivals[:1], entry])
    return _findings(file, found)


_Found = tuple[int, Rule, str]


def _findings(file: str, found: Sequence[_Found]) -> list[Finding]:
    findings = [Finding(file, line, rule, detail) for line, rule, detail in found]
    return sorted(findings, key=lambda finding: (finding.line, finding.rule))


def _too_many(entries: Sequence[Entry]) -> Iterator[_Found]:
    if len(entries) > MOST_ENTRIES:
        yield (
            entries[MOST_ENTRIES].start_line,
            Rule.TOO_MANY_ENTRIES,
            f"the file has {len(entries)} entries, {MOST_ENTRIES} are of use; nothing else is looked at",
        )


def _over_budget(text: str, budget_chars: int) -> Iterator[_Found]:
    if len(text) > budget_chars:
        line = text.count("\n", 0, budget_chars) + 1
        yield line, Rule.OVER_BUDGET, f"the file has {len(text)} characters, {budget_chars} are of use"


def _look_at(file: str, entry: Entry, today: date) -> Iterator[_Found]:
    """What one entry alone tells."""
    yield from find_malformed(entry, file)
    if is_memory(entry):
        yield from _look_at_memory(file, entry, today)


def _look_at_memory(file: str, entry: Entry, today: date) -> Iterator[_Found]:
    line, said = entry.start_line, entry.annotations
    if len(entry.text) > ENTRY_CHARS:
        yield (
            line,
            Rule.LONG_ENTRY,
            f"the entry has {len(entry.text)} characters, {ENTRY_CHARS} are shown at once",
        )
    for reason, index in find_unfit(entry.text):
        yield line + index, Rule(reason.value), reason.description
    if said.status != "superseded":
        if said.review is not None and said.review <= today:
            yield line, Rule.REVIEW_DUE, f"to be reviewed since {said.review}"
        if said.expires is not None and said.expires < today:
            yield line, Rule.EXPIRED, f"expired on {said.expires}"
    for trigger in said.triggers:
        if not _tells_something(trigger):
            yield (
                line,
                Rule.WEAK_TRIGGER,
                "a trigger of one letter or of common words alone fires never or always",
            )
    if file == USER:
        yield from _look_at_order(entry, said)


def _look_at_order(entry: Entry, said: Annotations) -> Iterator[_Found]:
    line = entry.start_line
    if said.observed is None:
        yield line, Rule.MISSING_OBSERVED, "no `observed` date in a comment on the line above or at the end"
    if said.status is None:
        yield line, Rule.MISSING_STATUS, "no `status` in a comment on the line above or at the end"
    if said.projects or not said.project_valid:
        yield (
            line,
            Rule.PROJECT_IGNORED,
            "`project` never applies in this file; a fact of a project goes to MEMORY.md",
        )
    if said.status == "superseded":
        return
    if not is_order(bare_text(entry.text)):
        yield line, Rule.NOT_IMPERATIVE, "not an instruction: begin with Always, Never or Prefer"
    elif count_orders(entry.text) > 1:
        yield line, Rule.SEVERAL_ORDERS, "several instructions in one entry: give each its own"


def _tells_something(trigger: str) -> bool:
    """Whether a trigger can fire, and has a word that is not in every message."""
    words = [word.text for word in split_words(trigger)]
    return bool(words) and not any(all(word in common for word in words) for common in _COMMON)


def _repeated(active: Sequence[Entry], analyzer: Analyzer) -> Iterator[_Found]:
    """Entries that say what one before them says."""
    lines: dict[bytes, int] = {}
    distinct: list[tuple[int, Trace]] = []
    for entry in active:
        trace = trace_text(entry.text, analyzer)
        if trace.hash in lines:
            yield _repeat(entry.start_line, lines[trace.hash], is_exact=True)
        else:
            lines[trace.hash] = entry.start_line
            distinct.append((entry.start_line, trace))
    traces = Traces(trace for _, trace in distinct)
    for place, (line, trace) in enumerate(distinct):
        twin = next((other for other in traces.like(trace) if other < place), None)
        if twin is not None:
            yield _repeat(line, distinct[twin][0], is_exact=False)


def _repeat(line: int, other: int, *, is_exact: bool) -> _Found:
    if is_exact:
        return line, Rule.DUPLICATE, f"says what line {other} says"
    return line, Rule.NEAR_DUPLICATE, f"says almost what line {other} says"


def _subject(file: str, entry: Entry) -> tuple[str, frozenset[str]] | None:
    said = entry.annotations
    return None if said.key is None else (said.key, scope_of(file, said))


def _same_keys(file: str, active: Sequence[Entry]) -> Iterator[_Found]:
    seen: dict[tuple[str, frozenset[str]], int] = {}
    for entry in active:
        if (subject := _subject(file, entry)) is not None:
            first = seen.setdefault(subject, entry.start_line)
            if first != entry.start_line:
                yield (
                    entry.start_line,
                    Rule.DUPLICATE_KEY,
                    f"has the key of line {first}, and both are active",
                )
