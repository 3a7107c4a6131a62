"""Laws of looks through old notes: twice is once, and taken back is as if nobody had looked."""

import os
from typing import Any

import trio
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openclaw_memd.domain.dream_pages import open_diary
from tests.dreaming.backfills import PORT, POT, look, page, preview, roll_back
from tests.dreaming.worlds import World, open_world, session

EXAMPLES = max(1, int(os.environ.get("MEMD_EXAMPLES", "30")) // 3)
"""Each opens a workspace."""

LINES = st.sampled_from(
    [
        f"- {PORT}",
        f"- {POT}",
        "- We decided that Linz is the office from now on.",
        "- Always ring twice at the blue door.",
        "- Heute kommt der Klempner um 9.",
        "- 门的钥匙在蓝色花盆下面，编号是42。",
        "# Cabin",
        "",
        "Some prose about the boiler of house 3 in Graz.",
        "<!-- openclaw:dreaming:light:start -->",
        "<<<BEGIN_MEMD_RECALL>>>",
        "- password: hunter2hunter2",
    ]
)
NOTES = st.dictionaries(
    st.integers(1, 9).map(lambda day: f"memory/2025-03-0{day}.md"),
    st.lists(LINES, max_size=6).map("\n".join),
    max_size=4,
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(["port of the gateway", "meter box key"])),
        st.tuples(st.just("look"), st.booleans()),
        st.tuples(st.just("back"), st.sampled_from(["all", "staged", "diary"])),
        st.tuples(st.just("note"), LINES),
    ),
    max_size=5,
)
PAGE = st.sampled_from(
    ["", "# Mine\n\nOwn words.\n", "# Mine\n\n<!-- openclaw:dreaming:diary:start -->\nopen\n"]
)


async def _do(world: World, step: tuple[str, Any], number: int) -> None:
    match step:
        case ("ask", question):
            await world.ask(question, session(f"s{number}"))
        case ("look", stage):
            await look(world, stage=stage)
        case ("back", what):
            await roll_back(world, what)
        case (_, line):
            await world.note(f"memory/2025-04-0{number + 1}.md", f"{line}\n")


@settings(max_examples=EXAMPLES)
@given(NOTES, PAGE, STEPS)
@example(
    {"memory/2025-03-01.md": "\n".join(["- The gateway of the cabin listens on port 9400."] * 2)},
    "",
    [("ask", "port of the gateway")],
)
def test_looking_twice_is_once_and_a_rollback_is_exact(
    notes: dict[str, str], text: str, steps: list[tuple[str, Any]]
) -> None:
    async def run() -> None:
        async with open_world() as world:
            for path, note in notes.items():
                world.write(path, note)
            if text:
                world.write("DREAMS.md", text)
            await world.memory.sync()
            for number, step in enumerate(steps):
                await _do(world, step, number)
            await roll_back(world)
            rows, before, found = await world.rows(), page(world), await preview(world)

            done = await look(world)
            assert (done.candidates, done.staged + done.no_room) == (found.candidates, found.candidates)
            assert (await preview(world)).candidates == 0
            written = page(world)
            again = await look(world)
            assert (again.candidates, again.staged, page(world)) == (0, 0, written)

            await roll_back(world)
            assert page(world) == (open_diary(before)[0] if done.entries else before)
            assert await preview(world) == found
            assert await world.rows() == rows
            for path, note in notes.items():
                assert (world.folder / path).read_text() == note

    trio.run(run)
