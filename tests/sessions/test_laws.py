"""What nobody vouches for, taken out of a history, leaves everything trusted as it was."""

import tempfile
from collections import Counter
from pathlib import Path

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.domain.chunks import chunk_text
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.notes.types import CapturedNote
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.outcomes import CaptureWish
from tests.sessions.worlds import GUEST, assistant, caller, open_world, tool, user

words = st.sampled_from(["walnut", "hazel " * 300, "ключ", "漢字" * 500, "ok", "- item", "# title", "```"])
events = st.one_of(
    st.builds(lambda text: user("", text), words),
    st.builds(lambda text: assistant("", text), words),
    st.builds(lambda text: user("", text, sender=GUEST), words),
    st.builds(
        lambda text, kind: user("", text, kind=kind),
        words,
        st.sampled_from(["system", "recalled", "heartbeat"]),
    ),
    st.builds(lambda network: tool("", network=network), st.booleans()),
)


async def remember(messages: list[Message]) -> tuple[Counter[str], list[str], list[Message]]:
    """The trusted chunks that come of a history, the trusted lines of its note, and its trusted messages."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_world(Path(folder)) as world:
            await world.sessions.append(caller(), messages)
            chunks: Counter[str] = Counter()
            for path in await world.paths():
                document = await world.document(path)
                breaks = document.attribution.breaks
                for chunk in chunk_text(
                    document.text, per_entry=False, tokens=100, overlap=20, breaks=breaks
                ):
                    provenance = document.attribution.of_lines(chunk.start_line, chunk.end_line)
                    chunks[chunk.text] += is_trusted(provenance.origin)
            rows = await world.store.read(
                lambda connection: connection.execute(
                    "SELECT id FROM session_messages WHERE origin IN ('owner', 'agent') ORDER BY seq"
                ).fetchall()
            )
            trusted = {row[0] for row in rows}
            await world.sessions.end(caller(), wish=CaptureWish(messages=5), capture=world.notebook)
            notes: list[CapturedNote] = world.notebook.notes
            lines = [text for note in notes for text, _ in note.trusted]
            return +chunks, lines, [message for message in messages if message.id in trusted]


@settings(max_examples=40)
@given(st.lists(events, max_size=12))
def test_trusted_chunks_and_notes_do_not_depend_on_what_others_say(history: list[Message]) -> None:
    async def compare() -> None:
        numbered = [
            Message(
                str(number),
                one.role,
                f"{number} {one.text}",
                sender=one.sender,
                kind=one.kind,
                tool_network=one.tool_network,
            )
            for number, one in enumerate(history)
        ]
        chunks, note, trusted = await remember(numbered)
        assert (await remember(trusted))[:2] == (chunks, note)

    trio.run(compare)
