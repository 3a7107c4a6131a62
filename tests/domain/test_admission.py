import pytest

from openclaw_memd.domain.admission import AdmissionRules, Exclusion
from openclaw_memd.domain.callers import Channel, ChatType

CHAT = Channel("telegram", "default", "c1")


@pytest.mark.parametrize(
    ("rule", "channel", "is_excluded"),
    [
        ("telegram", CHAT, True),
        ("telegram:default", CHAT, True),
        ("telegram:default:c1", CHAT, True),
        ("telegram:*:c1", CHAT, True),
        ("*", CHAT, True),
        (" telegram ", CHAT, True),
        ("Telegram", CHAT, False),
        ("tele*", CHAT, False),
        ("telegram:other", CHAT, False),
        ("telegram:default:c", CHAT, False),
        ("telegram:default:c1:x", Channel("telegram", "default", "c1:x"), True),
        ("*", Channel(), False),
        ("telegram:default", Channel("telegram"), False),
        ("telegram:*", Channel("telegram"), False),
        ("", CHAT, False),
        ("  ", Channel(), False),
    ],
)
def test_channels_are_compared_part_by_part(rule: str, channel: Channel, is_excluded: bool) -> None:
    rules = AdmissionRules.parse(channels=[rule])
    found = rules.exclude_place(["s1"], channel, ChatType.DIRECT)
    assert found is (Exclusion.CHANNEL if is_excluded else None)


def test_kinds_of_chat_are_excluded_only_when_they_are_named() -> None:
    rules = AdmissionRules.parse(chat_types=["group", "channel"])
    found = {chat for chat in ChatType if rules.exclude_place(["s1"], CHAT, chat)}
    assert found == {ChatType.GROUP, ChatType.CHANNEL}
    assert AdmissionRules.parse(chat_types=["unknown"]).exclude_place(["s"], CHAT, ChatType.UNKNOWN)


@pytest.mark.parametrize(
    ("pattern", "ids", "is_excluded"),
    [
        ("private-*", ["private-1"], True),
        ("private-*", ["child", "private-1"], True),
        ("private-*", ["Private-1"], False),
        ("s?", ["s1"], True),
        ("s?", ["s12"], False),
        ("[", ["["], True),
    ],
)
def test_sessions_are_excluded_by_glob_with_all_that_descend_from_them(
    pattern: str, ids: list[str], is_excluded: bool
) -> None:
    rules = AdmissionRules.parse(sessions=[pattern])
    found = rules.exclude_place(ids, Channel(), ChatType.UNKNOWN)
    assert found is (Exclusion.SESSION if is_excluded else None)


def test_participants_are_compared_exactly() -> None:
    rules = AdmissionRules.parse(participants=["u1", " u2 ", ""])
    assert rules.exclude_participant("u1") is Exclusion.PARTICIPANT
    assert rules.exclude_participant("u2") is Exclusion.PARTICIPANT
    assert [rules.exclude_participant(id_) for id_ in ("U1", "u", "", None)] == [None] * 4


def test_there_is_one_reason_also_when_every_rule_takes_it() -> None:
    rules = AdmissionRules.parse(channels=["telegram"], chat_types=["group"], sessions=["*"])
    assert rules.exclude_place(["s"], CHAT, ChatType.GROUP) is Exclusion.SESSION


def test_no_rules_exclude_nothing() -> None:
    assert AdmissionRules().exclude_place(["s"], CHAT, ChatType.UNKNOWN) is None
    assert AdmissionRules().exclude_participant(None) is None


def test_every_exclusion_is_described() -> None:
    assert all(rule.description.endswith(".") for rule in Exclusion)
