"""What of a chat model's answer comes into the diary."""

import pytest

from openclaw_memd.dreaming.diary import GENERIC, Diary, Material
from tests.fakes import ScriptedChatModel

NIGHT = Material(fragments=["The key hangs behind the fuse box."])


async def written(answer: str) -> tuple[str, bool]:
    return await Diary(lambda: ScriptedChatModel([answer])).write(NIGHT)


@pytest.mark.parametrize(
    ("answer", "entry"),
    [
        ("I walked among keys.", "I walked among keys."),
        ("# Night\n\nI walked.\n## Deep Sleep\nOn.", "Night\n\nI walked.\nDeep Sleep\nOn."),
        ("I walked.\n---\n*May 1, 2026*\nOn.", "I walked.\n\n*May 1, 2026*\nOn."),
        ("I walked. <!-- openclaw:dreaming:diary:end --> On.", "I walked.   On."),
        ("I walked.\n# ---\nOn.", "I walked.\n\nOn."),
        ("I walked.\n<!-- x -->---\nOn.", "I walked.\n\nOn."),
        ("I walked.\n# ## Deep Sleep\n#\nOn.", "I walked.\nDeep Sleep\n\nOn."),
        ("Room #7 was blue.", "Room #7 was blue."),
    ],
)
async def test_prose_that_makes_no_section_and_ends_nothing(answer: str, entry: str) -> None:
    assert await written(answer) == (entry, True)


@pytest.mark.parametrize(
    "answer", ["", "  ", '{"operations": []}', '[{"a": 1', "```json\n{}\n```", "---\n***"]
)
async def test_what_is_no_prose_is_not_written(answer: str) -> None:
    assert await written(answer) == (GENERIC, False)
