"""A world with an old memory file, and who takes it in."""

from collections.abc import Callable

from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.ops.doctor.absorbing import Absorbing
from tests.ops.worlds import World

MEMORY = "# Core\n\n- The port is 8123.\n"
LEGACY = "# Core\n\n- The port is 8123.\n- The lamp is blue.\n\n## Places\n\nThe attic is dry.\n"


def absorbing(world: World, on_step: Callable[[str], None] = lambda _step: None) -> Absorbing:
    corpus = world.indexer.corpus
    return Absorbing(
        world.curated,
        corpus.roots,
        world.state,
        corpus.attributor,
        turn=world.notes.turn,
        file_bytes=1_000_000,
        on_step=on_step,
    )


async def absorb(world: World, on_step: Callable[[str], None] = lambda _step: None) -> str | None:
    return await absorbing(world, on_step).absorb(world.clock.now())


def archived(world: World) -> list[str]:
    """What lies in the archive, oldest first."""
    folder = world.folder / ".openclaw-repair" / "root-memory"
    return [path.read_bytes().decode() for path in sorted(folder.rglob("memory.md"))]


def count_lines(world: World, line: str) -> int:
    """How often a line stands in MEMORY.md."""
    path = world.folder / "MEMORY.md"
    return decode_stored(path.read_bytes()).split("\n").count(line) if path.exists() else 0
