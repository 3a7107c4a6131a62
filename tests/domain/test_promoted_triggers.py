"""What brings a promoted entry up again."""

import pytest

from openclaw_memd.domain.concept_tags import find_tags
from openclaw_memd.domain.promoted_triggers import choose_triggers

NOTE = "memory/2026-01-11.md"


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("Backup pump runs at 06:30 in hut nine, not in hut ten.", ("backup", "pump", "hut")),
        ("Office is in Graz (until March).", ("office", "graz")),
        ("Always answer Marta in Italian.", ("answer", "marta", "italian")),
        ("The gateway listens on port 9400.", ("gateway", "port")),
        ("Deploys go to the cluster named kestrel.", ("deploys", "cluster", "kestrel")),
        ("Standup with Ana is on Friday mornings.", ("standup", "ana", "mornings")),
        ("Das Gateway läuft immer auf Port 9400.", ("gateway", "port")),
        ("El servidor siempre usa el puerto azul.", ("servidor", "puerto", "azul")),
        ("Сервер всегда стоит в подвале.", ("сервер", "подвале")),
        ("备份服务器每晚复制照片。", find_tags(NOTE, "备份服务器每晚复制照片。")[:3]),
        ("Keep it open until Friday, always.", ()),
    ],
)
def test_words_that_are_said_of_anything_bring_nothing_up(text: str, triggers: tuple[str, ...]) -> None:
    assert choose_triggers(find_tags(NOTE, text)) == triggers


def test_what_no_annotation_can_hold_is_none() -> None:
    assert choose_triggers(["a" * 65, "b-->", "c;d", "gate", "gate", "hut"]) == ("gate", "hut")
