"""Whatever a source and a workspace hold: what is there stays or comes back."""

from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.imports.worlds import World, open_world

HEAD = "memory/imports/path/notes/"
NAMES = st.sampled_from(["a.md", "b.md", "B.md", "sub/c.md", "sub/d.md", "sub/deep/e.md", "sub", "x.txt"])
TREES = st.dictionaries(NAMES, st.sampled_from(["", "- one\n", "- two\n", "- one\r\n"]), max_size=5)


def fill(world: World, offered: dict[str, str], present: dict[str, str]) -> None:
    (world.home / "notes").mkdir(exist_ok=True)
    for put, head, tree in ((world.offer, "notes/", offered), (world.write, HEAD, present)):
        for name, text in tree.items():
            if name != "sub" or not any(other.startswith("sub/") for other in tree):
                put(head + name, text)


@given(offered=TREES, present=TREES, replace=st.booleans(), edited=st.sets(NAMES, max_size=2))
@settings(max_examples=15, deadline=None)
def test_an_undo_brings_back_all_but_what_was_edited(
    offered: dict[str, str], present: dict[str, str], *, replace: bool, edited: set[str]
) -> None:
    async def main(base: Path) -> None:
        async with open_world(base) as world:
            fill(world, offered, present)
            before, source = world.files(), world.hashes("home")
            done = await world.apply("path", world.home / "notes", replace=replace)
            assert world.hashes("home") == source
            after = world.files()
            if not replace:
                assert before.items() <= after.items()
            assert before.keys() <= after.keys()
            assert {one.path for one in done.preview.files} <= after.keys() | {
                one.path for one in done.preview.skipped
            }
            edits = {HEAD + name: "- edited\n" for name in edited if HEAD + name in after}
            for path, text in edits.items():
                world.write(path, text)
            if done.id is not None:
                await world.imports.undo(done.id)
            assert world.files() == before | edits

    with TemporaryDirectory() as folder:
        trio.run(main, Path(folder))
