"""How much of the curated files reaches a prompt, for ``status``."""

from collections.abc import Iterator, Sequence

from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.domain.curated_files import MEMORY, MEMORY_CHARS
from openclaw_memd.gateway.status_results import CuratedReport
from openclaw_memd.injection.given_files import CuratedFigures

SHOWN = 5
"""So many places are named; the others are counted."""


def show_curated(one: AgentMemory, figures: Sequence[CuratedFigures]) -> tuple[CuratedReport, ...]:
    """The figures of an agent's curated files in the contract's shape."""
    writer = one.memory.write_path.curated
    return tuple(
        CuratedReport(
            file=found.file,
            chars=found.chars,
            budget=found.budget,
            injected_chars=found.injected_chars,
            left_out=found.left_out,
            writer=writer.mode,
        )
        for found in figures
    )


def curated_warnings(agent: str, figures: Sequence[CuratedFigures]) -> Iterator[str]:
    """What a person should know of files that do not reach a prompt whole."""
    for found in figures:
        if found.left_out:
            entries = "1 entry does" if found.left_out == 1 else f"{found.left_out:,} entries do"
            yield (
                f"{found.file}: {entries} not fit into the {found.budget:,} characters that sessions of"
                f" {agent} are given of it; shorten it, or see `memd lint`"
            )
        elif found.file == MEMORY and found.chars > MEMORY_CHARS:
            yield (
                f"{found.file} has {found.chars:,} characters, {MEMORY_CHARS:,} are of use: dreaming adds"
                " nothing to it; shorten it, or see `memd lint`"
            )
        if found.unvouched:
            places = ", ".join(found.unvouched[:SHOWN])
            more = len(found.unvouched) - SHOWN
            others = f" and {more} more" if more > 0 else ""
            yield (
                f"{found.file}: nobody vouches for {places}{others}, which is not given to sessions;"
                " `memd trust` says otherwise"
            )
