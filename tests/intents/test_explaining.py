"""What a message would fire, and why not."""

from dataclasses import replace
from datetime import timedelta

from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.callers import Caller
from openclaw_memd.intents.explaining import Block
from openclaw_memd.intents.wishes import Wish
from tests.intents.worlds import GUEST, OWNER, RELEASE, Open, World

THERE = replace(OWNER, channel=replace(OWNER.channel, conversation_id="c9"))


async def explain(
    opened: Open, caller: Caller | None = OWNER, text: str = "the releases"
) -> list[tuple[str, Block | None]]:
    found = await opened.explaining.explain(caller, "main", text)
    assert {one.why for one in found} <= {"release"}
    return [(one.intent.description, one.block) for one in found]


async def test_it_spends_nothing_and_tells_where_others_hold(opened: Open) -> None:
    await opened.create(replace(RELEASE, description="there"), caller=THERE)
    await opened.create(RELEASE)
    for _ in range(3):
        assert await explain(opened) == [("mention the changelog", None), ("there", Block.ELSEWHERE)]
    assert [block for _, block in await explain(opened, GUEST)] == [Block.ELSEWHERE] * 2
    assert await explain(opened, None) == [("there", None), ("mention the changelog", None)]
    assert await explain(opened, text="nothing of that") == []
    assert await opened.explaining.explain(None, "other", "the releases") == []
    assert await opened.told("release") == ["mention the changelog"]


async def test_a_cooldown_tells_its_end(world: World, opened: Open) -> None:
    await opened.create(RELEASE)
    await opened.say("release")
    (one,) = await opened.explaining.explain(OWNER, "main", "release")
    assert (one.block, one.until) == (Block.RESTING, world.clock.now() + timedelta(days=1))
    world.clock.forward(days=1)
    assert await explain(opened) == [("mention the changelog", None)]


async def test_what_is_over_is_told_apart_and_what_is_cancelled_is_gone(world: World, opened: Open) -> None:
    soon = world.clock.now() + timedelta(hours=1)
    await opened.create(
        replace(RELEASE, description="spent", max_fires=1),
        replace(RELEASE, description="expired", expires_at=soon),
    )
    await opened.say("release", most=1)
    done, gone, _ = await opened.create(
        replace(RELEASE, description="done"), replace(RELEASE, description="gone"), Wish("r", at=soon)
    )
    await opened.intents.finish("main", done.id)
    await opened.intents.cancel("main", gone.id)
    for _ in range(2):  # with the words of their keywords, and without
        world.clock.forward(hours=1)
        told = dict(await explain(opened))
        assert told == {"spent": Block.SPENT, "expired": Block.EXPIRED, "done": Block.DONE}
        await opened.intents.sweep()


async def test_what_has_no_room_waits(world: World, opened: Open) -> None:
    long = replace(RELEASE, description="x" * 490)
    await opened.create(*[long] * 3, replace(RELEASE, description="short"))
    blocks = {text[0]: block for text, block in await explain(opened)}
    assert blocks == {"x": Block.CROWDED, "s": None}
    assert len(await opened.told("release")) == 3
    world.settings = Settings(per_turn=0)
    assert {block for _, block in await explain(opened, None)} == {Block.CROWDED, Block.RESTING}


async def test_a_word_in_another_form_than_it_was_chosen_in_is_told(opened: Open) -> None:
    hiring, _ = await opened.create(Wish("x", ("team", "hiring")), Wish("other word", ("import",)))
    (one,) = await opened.explaining.explain(OWNER, "main", "whom do we hire? that is important")
    assert (one.intent, one.why, one.block) == (hiring, "hiring", Block.FORM)
    assert await opened.told("whom do we hire?") == []
    (one,) = await opened.explaining.explain(OWNER, "main", "we are hiring")
    assert one.block is None
    await opened.intents.cancel("main", hiring.id)
    assert await opened.explaining.explain(OWNER, "main", "whom do we hire?") == []
