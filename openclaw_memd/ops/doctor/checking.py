"""One look at everything. Each part is looked at apart, so that one that fails hides no other."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

import structlog
import trio

from openclaw_memd.files.earlier_state import EarlierState
from openclaw_memd.files.instructions import Instructions
from openclaw_memd.files.lock import LOCK_NAME
from openclaw_memd.files.names import INSTRUCTIONS
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.survey import find_other_notes
from openclaw_memd.index import readers
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.inspecting import newest_record
from openclaw_memd.index.ledger import rewrites
from openclaw_memd.index.ledger.losses import read_loss
from openclaw_memd.index.rows import FileRow
from openclaw_memd.ops.doctor.curated import judge_curated, judge_instructions
from openclaw_memd.ops.doctor.databases import check_databases
from openclaw_memd.ops.doctor.findings import Finding, arrange, begin_sentence, count
from openclaw_memd.ops.doctor.leftovers import Leftovers
from openclaw_memd.ops.doctor.locks import judge_own_locks
from openclaw_memd.ops.doctor.machine import judge_clock
from openclaw_memd.ops.doctor.models import judge_chat, judge_filling, try_embedder
from openclaw_memd.ops.doctor.patient import Patient
from openclaw_memd.ops.doctor.surroundings import Surroundings
from openclaw_memd.ops.doctor.survey import Survey, survey
from openclaw_memd.ops.doctor.workspace import judge_workspace

log = structlog.get_logger("memd.doctor")

T = TypeVar("T")
Part = Callable[[Patient], Awaitable[Iterable[Finding]]]


async def check(patient: Patient, *, only_fixable: bool = False) -> list[Finding]:
    """Every finding, the worst first; ``only_fixable`` leaves out looks at what the doctor does not mend.

    Never raises for what it finds.
    """
    found: list[Finding] = []
    parts = _FIXABLE if only_fixable else _PARTS

    async def look(name: str, part: Part) -> None:
        try:
            found.extend(await part(patient))
        except Exception as error:
            log.warning("check failed", state=name, exc_info=error)
            told = f"The check of {name} could not be done ({type(error).__name__})."
            found.append(Finding.of("check-failed", told, subject=name.replace(" ", "-")))

    async with trio.open_nursery() as nursery:
        if not only_fixable:
            nursery.start_soon(look, "models", _check_models)
        for name, part in parts.items():  # one after the other: two of them would only wait for the disk
            await look(name, part)
    return arrange(found)


async def _check_models(patient: Patient) -> Iterable[Finding]:
    findings = await try_embedder(patient.embedder)
    return [*findings, *judge_chat(patient.chat()), *judge_filling(patient.filling())]


async def _check_files(patient: Patient) -> Iterable[Finding]:
    """The workspace and what lies around it; an index that cannot be read is told of by another part."""
    corpus = patient.indexer.corpus
    rows: Mapping[str, FileRow] | None
    try:
        rows = await patient.indexer.store.read(readers.files)
    except DamagedError:
        rows = None
    seen = await _in_thread(lambda: survey(corpus, rows or {}, trio.from_thread.check_cancelled))
    is_early = patient.indexer.state.last_scan_at is None  # nothing was looked at yet
    if rows is None or is_early or patient.rebuild_turn.locked():
        seen = replace(seen, missing=(), differing=(), gone=())
    other = await _in_thread(lambda: find_other_notes(corpus.roots))
    today = patient.zone.day(patient.clock.now())
    surroundings = Surroundings(
        agent=patient.agent,
        config=patient.config,
        env=patient.env,
        workspace=patient.workspace,
        state=patient.state_folder,
        socket=patient.socket,
        now=patient.clock.now(),
        pid=patient.pid,
        watch_warning=patient.watch_warning(),
    )
    names = own_names(seen)
    around = await _in_thread(lambda: list(surroundings.check(len(seen.folders) + 1, names)))
    judged = await _in_thread(lambda: list(judge_workspace(seen, other, today=today)))
    return [*judged, *around]


def own_names(seen: Survey) -> list[str]:
    """The memory files that lie in the workspace itself."""
    return [file.path for file in seen.files if file.path == file.relative]


async def _check_curated(patient: Patient) -> Iterable[Finding]:
    state = await patient.core.refresh()
    figures = await patient.figures()
    roots = patient.indexer.corpus.roots
    file_chars = patient.config.agents[patient.agent].inject.file_chars

    def judge() -> list[Finding]:
        return [*judge_curated(state, figures), *check_instructions(roots, file_chars)]

    return await _in_thread(judge)


def check_instructions(roots: Roots, file_chars: int) -> Iterable[Finding]:
    """What is to be said of the instruction files. It blocks."""
    return judge_instructions(Instructions(roots).read(sorted(INSTRUCTIONS)), file_chars)


async def _check_databases(patient: Patient) -> Iterable[Finding]:
    return await check_databases(
        state=patient.state,
        index=patient.indexer.store,
        vectors=patient.vectors,
        differences=patient.differences,
        failures=patient.failures(),
    )


async def _check_ledger(patient: Patient) -> Iterable[Finding]:
    found: list[Finding] = []
    if (earlier := patient.earlier) is not None:
        found.append(_judge_move(earlier, is_tied=await _in_thread(lambda: earlier.is_tied)))
    elif (lost_at := await patient.state.read(read_loss)) is not None:
        told = f"The state was lost and began anew on {lost_at:%Y-%m-%d}: nobody vouches for older lines."
        found.append(Finding.of("origins-lost", told))
    newest = await patient.state.read(newest_record)
    found += judge_clock(patient.clock.now(), newest, patient.drift_s())
    if waiting := patient.waiting():
        told = f"{count(waiting, 'accepted text waits', 'accepted texts wait')} to be written."
        found.append(Finding.of("texts-waiting", told))
    if dangling := await patient.signals.count_dangling():
        told = (
            f"{count(dangling, 'candidate has', 'candidates have')} no source any more, or no memory in it."
        )
        found.append(Finding.of("dangling-signals", told))
    return found


def _judge_move(earlier: EarlierState, *, is_tied: bool) -> Finding:
    if is_tied:
        return Finding.of(
            "workspace-moved",
            f"The workspace was moved here; its earlier state {earlier.id} is used from the next start on.",
            by_hand="Start memd again.",
        )
    told = f"The workspace was moved here, and its earlier state {earlier.id} is not used"
    return Finding.of("workspace-moved", f"{told}: nobody vouches for what was there.")


async def _check_leftovers(patient: Patient) -> Iterable[Finding]:
    leftovers = await leftovers_of(patient)
    folders = [patient.state_folder]
    if not patient.is_read_only:
        folders.append(patient.workspace / "memory" / ".dreams")
    locks = [folder / LOCK_NAME for folder in folders]
    return await _in_thread(lambda: [*leftovers.find(), *judge_own_locks(locks)])


async def leftovers_of(patient: Patient) -> Leftovers:
    """Where leftovers may lie, and what of that is in use.

    Raises:
        UnavailableError, DamagedError: the ledger cannot be read.
    """
    known = await patient.state.read(rewrites.load_curated)
    return Leftovers(
        patient.workspace,
        patient.state_folder,
        tokens=frozenset(rewrite.token for rewrite in known),
        is_building=patient.rebuild_turn.locked(),
    )


async def _check_advice(patient: Patient) -> Iterable[Finding]:
    return advice_findings(patient.advice)


def advice_findings(sentences: Iterable[str]) -> list[Finding]:
    """Sentences on the configuration as findings."""
    return [
        Finding.of("config-advice", f"{begin_sentence(text)}.", subject=str(number))
        for number, text in enumerate(sentences, start=1)
    ]


async def _in_thread(work: Callable[[], T]) -> T:
    return await trio.to_thread.run_sync(work, abandon_on_cancel=True)


_FIXABLE: Mapping[str, Part] = {
    "files": _check_files,
    "databases": _check_databases,
    "ledger": _check_ledger,
    "leftovers": _check_leftovers,
}
_PARTS: Mapping[str, Part] = {**_FIXABLE, "curated files": _check_curated, "configuration": _check_advice}
