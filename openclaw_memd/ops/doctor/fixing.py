"""What the doctor does about findings, one remedy after the other; each can be done again at any time."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
import trio

from openclaw_memd.errors import MemdError, UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.doctor.absorbing import Absorbing
from openclaw_memd.ops.doctor.checking import leftovers_of
from openclaw_memd.ops.doctor.findings import Finding, count
from openclaw_memd.ops.doctor.kind_definition import Remedy
from openclaw_memd.ops.doctor.patient import Patient
from openclaw_memd.ops.doctor.places import close_place

log = structlog.get_logger("memd.doctor")

ORDER: Final = (
    Remedy.CLOSE,
    Remedy.SWEEP,
    Remedy.TIE,
    Remedy.MERGE,
    Remedy.PRUNE,
    Remedy.REFILL,
    Remedy.MEND,
    Remedy.SYNC,
)
"""Doors first; the index last, since what goes before may change files."""

REFILL_S: Final = 10.0
LOOK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Step:
    """What would be done about one finding."""

    id: str
    action: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """What was done about one finding."""

    id: str
    detail: str


@dataclass(frozen=True, slots=True)
class Left:
    """A finding that is as it was, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the findings that were to be fixed; with a dry run nothing is ``fixed``."""

    fixed: tuple[Fixed, ...] = ()
    plan: tuple[Step, ...] = ()
    left: tuple[Left, ...] = ()


class GoneError(Exception):
    """There is nothing to be done any more."""


async def fix(
    patient: Patient,
    findings: Sequence[Finding],
    progress: Progress,
    *,
    on_step: Callable[[str], None] = lambda _step: None,
) -> tuple[list[Fixed], list[Left]]:
    """Do what there is a remedy for, in the order of ``ORDER``; one that fails does not keep others from it.

    ``findings`` are fixable. ``on_step`` hears what is done next.
    """
    fixed: list[Fixed] = []
    left: list[Left] = []
    done = 0
    for remedy in ORDER:
        ours = [finding for finding in findings if finding.kind.remedy is remedy]
        for group in [ours] if remedy in _ONCE else [[finding] for finding in ours]:
            if not group:
                continue
            progress(done, len(findings))
            done += len(group)
            on_step(remedy.name.lower())
            try:
                detail = await _REMEDIES[remedy](patient, group[0], on_step)
            except GoneError:
                left += [Left(finding.id, "it is not there any more") for finding in group]
            except MemdError as error:
                left += [Left(finding.id, error.message) for finding in group]
            except DamagedError:
                left += [Left(finding.id, "a database is damaged") for finding in group]
            except OSError as error:
                left += [
                    Left(finding.id, (error.strerror or "the system refuses").lower()) for finding in group
                ]
            else:
                fixed += [Fixed(finding.id, detail) for finding in group]
                log.info("fixed", kind=group[0].kind.id)
    progress(done, len(findings))
    return fixed, left


def order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that there is a remedy for, in the order in which they are fixed."""
    fixable = [finding for finding in findings if finding.is_fixable and finding.kind.remedy is not None]
    return sorted(fixable, key=lambda one: (ORDER.index(one.kind.remedy or Remedy.SYNC), one.place, one.id))


OnStep = Callable[[str], None]


async def _merge(patient: Patient, _finding: Finding, on_step: OnStep) -> str:
    absorbing = Absorbing(
        patient.curated,
        patient.indexer.corpus.roots,
        patient.state,
        patient.indexer.corpus.attributor,
        turn=patient.turn,
        file_bytes=patient.config.limits.file_bytes,
        on_step=on_step,
    )
    path = await absorbing.absorb(patient.clock.now())
    if path is None:
        raise GoneError
    await patient.core.refresh()
    return f"MEMORY.md has all of it; the old file is {path}"


async def _close(_patient: Patient, finding: Finding, _on_step: OnStep) -> str:
    if not await trio.to_thread.run_sync(close_place, Path(finding.place)):
        raise GoneError
    return "only its user can open it now"


async def _sweep(patient: Patient, finding: Finding, _on_step: OnStep) -> str:
    async with patient.turn:  # nobody is in the middle of a rewrite
        leftovers = await leftovers_of(patient)
        if not await trio.to_thread.run_sync(leftovers.remove, Path(finding.place)):
            raise GoneError
    return "it is removed"


async def _tie(patient: Patient, _finding: Finding, _on_step: OnStep) -> str:
    if patient.earlier is None or not await trio.to_thread.run_sync(patient.earlier.tie):
        raise GoneError
    return "start memd again: it uses the earlier state from then on"


async def _prune(patient: Patient, _finding: Finding, _on_step: OnStep) -> str:
    number = await patient.signals.repair()
    return f"{count(number, 'candidate is', 'candidates are')} taken out"


async def _refill(patient: Patient, _finding: Finding, _on_step: OnStep) -> str:
    patient.vectors.damage.set()  # the filler sets the database aside and makes the vectors anew
    with trio.move_on_after(REFILL_S):
        while patient.vectors.damage.is_set():  # noqa: ASYNC110 - there is no event for its end
            await trio.sleep(LOOK_S)
        return "the damaged database is set aside; the vectors are made anew"
    raise UnavailableError("the damaged database could not be set aside yet", reason="damaged")


async def _mend(patient: Patient, _finding: Finding, _on_step: OnStep) -> str:
    await patient.mend()
    return "the index is whole"


async def _sync(patient: Patient, _finding: Finding, _on_step: OnStep) -> str:
    report = await patient.indexer.sync(verify=True)
    return (
        f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed,"
        f" {report.unchanged:,} were right"
    )


_ONCE: Final = frozenset({Remedy.PRUNE, Remedy.REFILL, Remedy.MEND, Remedy.SYNC, Remedy.MERGE})
"""What sees to all findings of its kind at once."""

_REMEDIES: Final[Mapping[Remedy, Callable[[Patient, Finding, OnStep], Awaitable[str]]]] = {
    Remedy.MERGE: _merge,
    Remedy.CLOSE: _close,
    Remedy.SWEEP: _sweep,
    Remedy.TIE: _tie,
    Remedy.PRUNE: _prune,
    Remedy.REFILL: _refill,
    Remedy.MEND: _mend,
    Remedy.SYNC: _sync,
}
