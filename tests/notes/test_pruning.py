"""What the ledger of appends forgets with time, and that nothing depends on it then."""

from tests.notes.worlds import HEADER, OWNER, TODAY, World


async def test_written_texts_and_cycles_are_forgotten_after_ninety_days(world: World) -> None:
    async with world.open() as opened:
        await opened.writer.flush_append(OWNER, cycle_id="c", text="- a", request_key="k")
        world.clock.forward(days=91)
        await opened.writer.append(OWNER, text="- b", request_key="k")
        await opened.writer.flush_append(OWNER, cycle_id="d", text="- c")
        assert opened.rows("SELECT count(*) FROM appends") == [(2,)]
        assert opened.rows("SELECT cycle_id FROM flush_cycles") == [("d",)]
        assert opened.rows("SELECT count(*) FROM flush_texts") == [(1,)]
        assert opened.rows("SELECT method FROM request_keys") == [("note.append",)]


async def test_a_cycle_that_lives_longer_than_its_texts_takes_them_again(world: World) -> None:
    async with world.open() as opened:
        await opened.writer.flush_append(OWNER, cycle_id="c", text="- a")
        world.clock.forward(days=60)
        await opened.writer.flush_append(OWNER, cycle_id="c", text="- b")
        world.clock.forward(days=60)
        await opened.writer.append(OWNER, text="- c")
        assert (await opened.writer.flush_append(OWNER, cycle_id="c", text="- a")).appended
    assert world.read(TODAY) == HEADER + "- a\n"


async def test_what_waits_is_never_forgotten(world: World) -> None:
    async with world.open() as opened:
        await opened.writer.append(OWNER, text="- a")
        await opened.state.write(
            lambda connection: connection.execute(
                "UPDATE appends SET state = 'spooled', text = '- waits' || char(10)"
            ).fetchall()
        )
        world.clock.forward(days=91)
        await opened.writer.append(OWNER, text="- b")
        await opened.writer.reconcile()
    assert world.read(TODAY) == HEADER + "- a\n- waits\n"
