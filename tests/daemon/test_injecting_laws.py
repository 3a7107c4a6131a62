"""Whatever comes first, a look of the curated core or a pass of the indexer: both say the same."""

from collections.abc import Sequence

import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from tests.poisoning.histories import OWNER, History, open_history

Step = tuple[str, int]
STEPS = st.tuples(
    st.sampled_from(["add", "drop", "look", "index", "taint", "clean", "raise", "lower"]), st.integers(0, 5)
)


async def play(history: History, step: Step, lines: list[str]) -> None:
    kind, number = step
    memory, sessions = history.memory, history.memory.write_path.sessions
    match kind:
        case "add":
            lines.append(f"- A numbat of {number} stripes hides in log {len(lines)}.")
        case "drop":
            del lines[number : number + 1]
        case "look":
            await memory.lanes.injecting.core.refresh()
        case "index":
            await memory.sync()
        case "taint":
            told = Message(
                f"t{number}", Role.TOOL, "a page", kind=MessageKind.NORMAL, tool_name="x", tool_network=True
            )
            await sessions.append(OWNER, [told])
        case "clean":
            await sessions.append(OWNER, [Message(f"u{number}", Role.USER, "well", kind=MessageKind.NORMAL)])
        case _ if lines:
            await memory.sync()
            origin = Origin.AGENT if kind == "raise" else Origin.UNTRUSTED
            line = number % len(lines) + 1
            await memory.showing.trust("MEMORY.md", Selection(line, line), origin)
    (history.workspace / "MEMORY.md").write_text("".join(f"{line}\n" for line in lines))


async def check(steps: Sequence[Step]) -> None:
    async with open_history(MockClock()) as history:
        lines: list[str] = []
        for step in steps:
            await play(history, step, lines)
        state = await history.memory.lanes.injecting.core.refresh()
        await history.memory.sync()
        indexed = {hit.text: hit.origin for hit in await history.find("numbat")}
        seen = {one.entry.text: one.provenance.origin for one in state.files["MEMORY.md"].entries}
        assert indexed == seen
        again = await history.memory.lanes.injecting.core.refresh()
        assert again.files == state.files


@settings(max_examples=8)
@given(st.lists(STEPS, max_size=12))
def test_the_core_says_what_the_index_says(steps: list[Step]) -> None:
    trio.run(check, [("add", 1), *steps, ("look", 0)], clock=MockClock())
