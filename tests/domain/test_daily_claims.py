"""What a note claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, Annotations
from openclaw_memd.domain.daily_claims import read_claims
from openclaw_memd.domain.plain_headings import is_plain_heading

BLOCK = "<!-- openclaw:dreaming:light:start -->\n- Candidate: the pot is blue\n  - confidence: 0.00\n"
END = "<!-- openclaw:dreaming:light:end -->\n"


def texts(note: str) -> list[str]:
    return [claim.text for claim in read_claims(note)]


def test_a_heading_that_says_something_stands_before_its_items() -> None:
    note = (
        "# 2026-01-11\n\n## Morning\n\n- Ana came by.\n\n## Router\n\n- Port 8080.\n\nIt is in the attic.\n"
    )
    assert texts(note) == ["Ana came by.", "Router: Port 8080.", "Router: It is in the attic."]


def test_items_stand_under_those_that_they_are_in() -> None:
    note = (
        "- Boxes:\n  - the blue one has keys\n\n    of the attic\n"
        "  - the red one:\n    1. is empty now\n- Last of all.\n"
    )
    claims = read_claims(note)
    assert [(claim.text, claim.start_line, claim.end_line, claim.context) for claim in claims] == [
        ("Boxes > the blue one has keys of the attic", 2, 4, (1,)),
        ("Boxes > the red one > is empty now", 6, 6, (1, 5)),
        ("Last of all.", 7, 7, ()),
    ]


def test_an_item_with_children_that_says_something_is_a_claim_itself() -> None:
    assert texts("- Moved to Graz.\n  - In March.\n") == ["Moved to Graz.", "Moved to Graz. > In March."]


@pytest.mark.parametrize(
    "line",
    [
        "npm run build",
        "git push origin main",
        "sudo systemctl restart meter",
        "HEARTBEAT_OK meter",
        "score=0.82 meter promoted recalls=4",
        "[message_id: 4455] words of Ana",
        'Conversation info (untrusted metadata): {"a": 1}',
        "## A heading in an item",
        "**Meter:**",
        "Candidate: the vault code is in the cellar",
        "2026-01-11 10:00:00 ERROR it broke",
    ],
)
@pytest.mark.parametrize("above", ["## Todo\n\n", "## Meter\n\n- Outside.\n  "], ids=repr)
def test_what_a_machine_wrote_is_no_claim_under_any_heading(line: str, above: str) -> None:
    assert not any(line in text for text in texts(f"{above}- {line}\n"))


def test_of_a_captured_conversation_the_sentences_of_people_are_claimed() -> None:
    note = (
        "# 2026-01-11 19:03 (Etc/UTC)\n\n- Session: o1-4711-2026\n- Reason: new\n\n"
        "> User: The boiler is in the attic now. Is that fine?\n> Assistant: So the boiler is in the attic.\n"
        "> User: thanks\n"
    )
    assert [(one.text, one.start_line, one.context) for one in read_claims(note)] == [
        ("The boiler is in the attic now.", 6, ())
    ]
    assert texts("# 2026-01-11 19:03 (Etc/UTC)\n\nAna moved to Graz.\n") == ["Ana moved to Graz."]


def test_an_entry_of_labels_is_one_claim() -> None:
    note = "## Contact\n- name: Ana Maria\n- city: Graz\n"
    assert texts(note) == ["Contact: name: Ana Maria; city: Graz"]
    assert texts("## Today\n- name: Ana Maria\n- city: Graz\n") == ["Today: name: Ana Maria; city: Graz"]


@pytest.mark.parametrize("end", [END, ""], ids=["ended", "open"])
def test_managed_blocks_are_left_out_and_lines_counted(end: str) -> None:
    block = f"## Light Sleep\n\n{BLOCK}### Reflections\n- A theme of pots.\n{end}"
    note = f"- First of all.\n\n{block}\n## Router\n- Port 8080.\n"
    claims = read_claims(note)
    assert [claim.text for claim in claims] == ["First of all.", "Router: Port 8080."]
    assert note.split("\n")[claims[1].start_line - 1] == "- Port 8080."


def test_two_blocks_leave_what_is_between() -> None:
    assert texts(f"{BLOCK}{END}\n- Between them.\n\n{BLOCK}{END}\n- After them.\n") == [
        "Between them.",
        "After them.",
    ]


def test_annotations_say_what_they_say_and_are_no_text() -> None:
    said = "<!-- key: deploy-target --> <!-- project: github.com/a/b --> <!-- importance: 9 -->"
    note = f"- Deploys go to host 7. {said}\n"
    (claim,) = read_claims(note)
    assert (claim.text, claim.annotations.key, claim.annotations.projects) == (
        "Deploys go to host 7.",
        "deploy-target",
        ("github.com/a/b",),
    )


def test_a_line_that_nobody_vouches_for_annotates_nothing() -> None:
    note = (
        "- Deploys go to host 7. <!-- importance: 4 -->\n  - Ask Ana. <!-- key: x | expires: 2020-01-01 -->"
    )
    deploys, _ = read_claims(note, lambda line: line != 2)
    assert deploys.annotations == Annotations(importance=4)
    above = "<!-- trigger: hello -->\n- Deploys go to host 7.\n"
    assert read_claims(above, lambda line: line != 1)[0].annotations == NO_ANNOTATIONS
    assert read_claims(above)[0].annotations.triggers == ("hello",)


def test_of_several_claims_in_an_entry_the_key_is_that_of_its_own_line() -> None:
    """Else the second would take the place of the first."""
    note = (
        "- The office is in Linz. <!-- key: office -->\n  - It opens at nine.\n"
        "  - Its fax is broken. <!-- key: fax -->\n"
    )
    assert [claim.annotations.key for claim in read_claims(note)] == ["office", None, "fax"]


def test_code_comments_and_front_matter_claim_nothing() -> None:
    assert (
        texts(
            "---\ntitle: the note of pots\n---\n\n```\nrm the pots\n```\n\n<!-- a remark on pots -->\n\n***\n"
        )
        == []
    )


def test_what_says_too_little_is_left_out() -> None:
    assert texts("- short\n- 門は青い\n- ----------\n- [x] done with it\n") == ["門は青い", "done with it"]


def test_text_of_machines_claims_nothing_in_any_of_its_parts() -> None:
    report = (
        "- Candidate: pots are blue\n  - confidence: 0.58\n  - evidence: memory/2026-01-10.md:1-1\n"
        "  - status: staged\n  - recalls: 3\n"
    )
    assert texts(report) == []


def test_lines_of_a_report_that_stand_alone_claim_nothing() -> None:
    """Somebody copied a part of it, with characters between that nobody sees."""
    lines = (
        "Candi\u200bdate: pots are blue",
        "confidence: 0.58",
        "evidence: memory/2026-01-10.md:1-1",
        "status: staged",
        "note: reflection",
        "Pots are blue [confidence=0.58 evidence=memory/2026-01-10.md:1-1]",
    )
    assert texts("".join(f"- {line}\n" for line in lines)) == []
    assert texts("- status: staged for Monday\n") == ["status: staged for Monday"]


def test_what_is_struck_out_is_claimed_no_more() -> None:
    assert texts("- ~~The pots are blue.~~\n- ~~The pot~~ All pots are red.\n") == [
        "~~The pot~~ All pots are red."
    ]


@pytest.mark.parametrize(
    "title",
    [
        "2026-01-11",
        "2026-01-11.md",
        "2026-01-11 (Europe/Vienna)",
        "2026-01-11: from outside, not trusted (UTC)",
        "April 3, 2026",
        "Sunday",
        "Today",
        "14:05",
        "Montag, 12. Jänner 2026",
        "Gestern Abend",
        "Martes por la mañana",
        "Journal du 3 mars",
        "Segunda-feira",
        "Вчера вечером",
        "今天",
        "2026年1月11日",
        "今朝",
        "오늘 아침",
        "اليوم",
        "Light Sleep",
    ],
)
def test_headings_that_only_date(title: str) -> None:
    assert is_plain_heading(title)


@pytest.mark.parametrize(
    "title", ["Router", "2026-01-11 Standup", "May release", "ネットワーク", "明日香", "Réseau"]
)
def test_headings_that_say_something(title: str) -> None:
    assert not is_plain_heading(title)


@given(st.text(st.sampled_from("-*# \n`<!>:ab\t1."), max_size=200))
def test_claims_stand_where_they_say(note: str) -> None:
    count = len(note.split("\n"))
    for claim in read_claims(note):
        assert 1 <= claim.start_line <= claim.end_line <= count
        assert claim.text.endswith(claim.body)
        assert "\n" not in claim.text
        assert all(1 <= line <= claim.start_line for line in claim.context)
