"""A promoted line says what its source says, and where that stands."""

from datetime import date

import pytest

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, Annotations
from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.lineage import find_anchors, find_sources, format_anchor, strip_lineage
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.promoted_lines import Fact, cut_text, describe, format_fact, rate
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, SessionKind
from openclaw_memd.domain.user_contract import is_order

OWNER = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)
SOURCE = "memory/2026-01-11.md#L3"


def fact(text: str, said: Annotations = NO_ANNOTATIONS, provenance: Provenance = HANDWRITTEN) -> Fact:
    return Fact(("tkey",), text, SOURCE, provenance, said)


def test_a_fact_is_one_bullet_with_its_source_and_what_it_says_of_itself() -> None:
    said = Annotations(
        ("gateway", "port"), 8, ("github.com/o/a",), key="gateway-port", observed=date(2026, 1, 11)
    )
    lines = format_fact(fact("The gateway listens on port 9400.", said))
    assert lines == [
        "<!-- memd:promoted tkey -->",
        "- The gateway listens on port 9400. (Source: memory/2026-01-11.md#L3)"
        " <!-- trigger: gateway; port --> <!-- importance: 8 --> <!-- project: github.com/o/a -->"
        " <!-- key: gateway-port | observed: 2026-01-11 -->",
    ]
    (entry,) = parse_entries("\n".join(lines))
    assert entry.annotations == said
    assert bare_text(entry.text) == "The gateway listens on port 9400."
    assert list(find_anchors(entry.text)) == ["tkey"]


@pytest.mark.parametrize(("score", "importance"), [(0.0, 3), (0.75, 8), (0.85, 9), (0.84, 8), (1.2, 10)])
def test_importance_is_a_tenth_of_the_score_and_a_half_goes_up(score: float, importance: int) -> None:
    assert rate(score) == importance


def test_an_order_of_the_owner_has_the_form_of_the_user_file() -> None:
    said = Annotations(importance=7, observed=date(2026, 1, 11))
    order = fact("Always answer in German.", said, OWNER)
    assert order.file == "USER.md"
    lines = format_fact(order)
    assert lines == [
        "<!-- memd:promoted tkey from memory/2026-01-11.md#L3 -->",
        "<!-- observed: 2026-01-11 | status: active -->",
        "- Always answer in German. <!-- importance: 7 -->",
    ]
    (entry,) = parse_entries("\n".join(lines))
    assert entry.annotations.status == "active"
    assert bare_text(entry.text) == "Always answer in German."


@pytest.mark.parametrize(
    ("text", "provenance", "projects"),
    [
        ("Always answer in German.", HANDWRITTEN, ()),
        ("Always run the tests first.", OWNER, ("github.com/o/a",)),
        ("The gateway listens on port 9400.", OWNER, ()),
        ("Always answer in German. Never use emoji.", OWNER, ()),
    ],
)
def test_all_else_is_a_fact(text: str, provenance: Provenance, projects: tuple[str, ...]) -> None:
    assert fact(text, Annotations(projects=projects), provenance).file == "MEMORY.md"
    assert is_order("Always answer in German.")


@pytest.mark.parametrize("text", ["- a", "* * b", "1. c", "- [ ] d", "# e", "> f", "x <!-- key: a -->"])
def test_a_marker_or_a_comment_of_the_text_makes_nothing_else_of_it(text: str) -> None:
    lines = format_fact(fact(text))
    entries = parse_entries("\n".join(lines))
    assert len(entries) == 1
    assert "- -" not in lines[-1]
    assert entries[0].annotations == NO_ANNOTATIONS


def test_a_long_text_is_cut_behind_a_sentence_or_a_word() -> None:
    sentences = "It is so. " * 100
    assert cut_text(sentences).endswith("so....")
    words = "abcde " * 200
    assert cut_text(words).endswith("abcde...")
    assert len(cut_text("x" * 1_000)) == 640
    assert cut_text("x" * 640) == "x" * 640
    late = "a" * 300 + ". " + "b" * 600
    assert len(cut_text(late)) == 640, "the sentence ends too early"


def test_what_a_source_says_of_itself_comes_first() -> None:
    said = Annotations(("own",), 4, ("github.com/o/b",), key="k", observed=date(2026, 1, 2))
    found = describe(
        said, tags=["a", "b"], score=0.9, projects=["github.com/o/a"], key="x", noted_on=date(2026, 1, 11)
    )
    assert found == said
    derived = describe(
        NO_ANNOTATIONS,
        tags=["a,b", "c", "d", "e", "f", "x" * 65],
        score=0.84,
        projects=["GitHub.com/o/a"],
        key="no | key",
        noted_on=date(2026, 1, 11),
    )
    assert derived == Annotations(("c", "d", "e"), 8, ("github.com/o/a",), observed=date(2026, 1, 11))
    assert [rate(score) for score in (0.0, 0.31, 0.75, 0.86, 1.4)] == [3, 3, 8, 9, 10]


def test_anchors_of_openclaw_are_known() -> None:
    text = (
        "<!-- openclaw-memory-lineage:office -->\n"
        "<!-- openclaw-memory-promotion:memory:memory/my notes/2026-01-11.md:3:3 -->\n"
        "- The office is in Graz. [score=0.812 signals=4 recalls=3 avg=0.700 source=memory/2026-01-11.md:3-3]"
        " <!-- importance: 8 -->\n"
        "- It rains. Source: memory/2026-01-11.md#L4-L4\n"
    )
    assert list(find_anchors(text)) == ["memory:memory/my notes/2026-01-11.md:3:3"]
    first, second = parse_entries(text)
    assert bare_text(first.text) == "The office is in Graz."
    assert bare_text(second.text) == "It rains."


@pytest.mark.parametrize(
    "piece", [" ", "(Source: ", " (Source: #L1", " Source: ", " [score=source=", "#L1)", "<!-- ", "\t("]
)
def test_no_text_takes_long(piece: str) -> None:
    text = "Source: #L1 source= <!--" + piece * (200_000 // len(piece))
    assert len(strip_lineage(text)) <= len(text)
    assert not find_anchors(text)
    assert not find_sources(text)


def test_other_comments_and_sources_in_prose_stay() -> None:
    text = "- (Source: the owner) is what he says\n<!-- memd is fine -->\n- See #L3 (Source: mail)."
    assert strip_lineage(text) == text
    assert format_anchor("tkey", "memory/a--b.md#L1") == "<!-- memd:promoted tkey -->"
