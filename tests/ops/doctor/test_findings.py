"""Findings as lists: once each, the worst first, and without names for those who may see none."""

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.ops.doctor.all_kinds import KINDS
from openclaw_memd.ops.doctor.findings import EACH, Finding, arrange, name_some, without_names
from openclaw_memd.ops.doctor.kind_definition import SEVERITIES

FINDINGS = st.lists(
    st.builds(
        lambda kind, subject, severity: Finding.of(kind, "told", subject=subject, severity=severity),
        st.sampled_from(sorted(KINDS)),
        st.sampled_from(["", "memory/a.md", "memory/b.md"]),
        st.sampled_from([None, *SEVERITIES]),
    ),
    max_size=40,
)


@given(FINDINGS)
def test_each_is_told_once_and_the_worst_comes_first(findings: list[Finding]) -> None:
    arranged = arrange(findings)
    assert len({one.id for one in arranged}) == len(arranged)
    assert {one.id for one in arranged} == {one.id for one in findings}
    ranks = [SEVERITIES.index(one.severity) for one in arranged]
    assert ranks == sorted(ranks)


@given(FINDINGS)
def test_without_names_nothing_is_told_but_the_kinds(findings: list[Finding]) -> None:
    for one in without_names(findings):
        assert (one.id, one.detail, one.place) == (one.kind.id, one.kind.meaning, "")
    assert {one.id for one in without_names(findings)} == {one.kind.id for one in findings}


def test_of_many_of_a_kind_some_are_listed_and_the_others_counted() -> None:
    many = [Finding.of("skipped", subject=f"memory/{number:03}.md") for number in range(EACH + 7)]
    arranged = arrange(many)
    assert len(arranged) == EACH + 1
    (more,) = (one for one in arranged if one.subject == "more")
    assert more.detail.startswith("7 more of this kind")


def test_what_can_be_fixed_is_listed_whole() -> None:
    many = [Finding.of("leftover", subject=f".memd-{number}") for number in range(EACH + 7)]
    assert len(arrange(many)) == EACH + 7


def test_secrets_in_names_are_masked() -> None:
    name = "memory/sk-proj-" + "a1B2" * 10 + ".md"
    assert "a1B2" not in Finding.of("skipped", subject=name).id
    assert "a1B2" not in name_some([name])


def test_every_kind_says_what_to_do_and_is_named_once() -> None:
    for name, kind in KINDS.items():
        assert name == kind.id
        assert kind.meaning.endswith(".")
        assert kind.advice.endswith(".")
        assert ("The doctor" in kind.advice) == (kind.remedy is not None), name
