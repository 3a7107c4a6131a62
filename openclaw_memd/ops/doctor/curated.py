"""What reaches a session of the curated files, and what does not. Pure: no text of them is told."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from openclaw_memd.curated.entries import CuratedState, CuratedText
from openclaw_memd.curated.looking import HARD_LINK, UNKNOWN_ORIGINS
from openclaw_memd.domain.bootstrap_budget import cut_prose
from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.instructions import InstructionText
from openclaw_memd.injection.given_files import CuratedFigures
from openclaw_memd.ops.doctor.findings import Finding, count
from openclaw_memd.ops.doctor.kind_definition import Severity

_OWN_PROBLEMS: Final = {
    HARD_LINK: "It has a second name (a hard link): it is read, and memd does not write to it.",
    SkipReason.SYMLINK.value: "It is a symbolic link; a curated file has to lie in the workspace itself.",
    UNKNOWN_ORIGINS: "The ledger cannot tell now who is behind its lines, so it is not used.",
}
_PLACES: Final = 12


def judge_curated(state: CuratedState, figures: Iterable[CuratedFigures]) -> Iterator[Finding]:
    """Everything that is to be said of the two files."""
    for file, problem in state.problems.items():
        told = _OWN_PROBLEMS.get(problem) or SkipReason(problem).description
        severity: Severity | None = None if file not in state.files else "warning"
        yield Finding.of("curated-unusable", f"{file}: {told}", subject=file, severity=severity)
    for found in figures:
        yield from _judge_figures(found)
    for text in state.files.values():
        yield from _judge_secrets(text)


def judge_instructions(
    read: Mapping[str, InstructionText | SkipReason], file_chars: int
) -> Iterator[Finding]:
    """Instruction files of which sessions are given less than all; ``file_chars`` is the most of one."""
    for name, found in read.items():
        if isinstance(found, SkipReason):
            told = f"{name}: {found.description}"
            yield Finding.of("instructions-unusable", told, subject=name)
        elif cut_prose(found.text, file_chars, name=name).is_cut:
            told = f"{name} has {len(found.text):,} characters; sessions are given {file_chars:,} of it."
            yield Finding.of("instructions-cut", told, subject=name)


def _judge_figures(found: CuratedFigures) -> Iterator[Finding]:
    if found.left_out:
        yield Finding.of(
            "curated-over-budget",
            f"{found.file} has {found.chars:,} characters; sessions are given {found.budget:,} of it, and"
            f" {count(found.left_out, 'entry falls', 'entries fall')} out: {_places(found.left_out_places)}.",
            subject=found.file,
        )
    elif found.chars > found.budget:
        yield Finding.of(
            "curated-over-budget",
            f"{found.file} has {found.chars:,} characters, more than its budget of {found.budget:,}; without"
            " annotations it still fits.",
            subject=found.file,
            severity="info",
        )
    if found.unvouched:
        yield Finding.of(
            "curated-unvouched",
            f"{found.file}: nobody vouches for {_places(found.unvouched)}, which no session is given.",
            subject=found.file,
        )


def _judge_secrets(text: CuratedText) -> Iterator[Finding]:
    if mask_secrets(text.text) == text.text:
        return
    lines = [
        f"L{number}"
        for number, line in enumerate(text.text.split("\n"), start=1)
        if mask_secrets(line) != line
    ]
    told = _places(lines) if lines else "a stretch of several lines"
    yield Finding.of("secrets-in-curated", f"{text.file}: {told} may hold a secret.", subject=text.file)


def _places(places: Iterable[str]) -> str:
    """Citations such as ``MEMORY.md#L3-L5`` as lines alone; neighbours are told as one."""
    ranges: list[tuple[int, int]] = []
    for place in places:
        first, _, last = place.rpartition("#")[2].partition("-")
        start, end = int(first[1:]), int((last or first)[1:])
        if ranges and start <= ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], max(end, ranges[-1][1])
        else:
            ranges.append((start, end))
    shown = ", ".join(f"L{one}" if one == other else f"L{one}-L{other}" for one, other in ranges[:_PLACES])
    more = len(ranges) - _PLACES
    return f"{shown} and {more:,} more" if more > 0 else shown
