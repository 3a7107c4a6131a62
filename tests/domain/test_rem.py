"""What REM finds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.provenance import FOREIGN
from openclaw_memd.domain.rem import MOST_TRUTHS, Reflection, confidence, reflect
from openclaw_memd.domain.text import Analyzer
from tests.domain.promotion import TaggedClaim

NOW = datetime(2026, 1, 20, 3, tzinfo=UTC)
ANALYZER = Analyzer(("en",))
RECALLED = Signals(recalls=2, total_score=1.6, queries=2, days=(NOW.date(),), tags=2, last_at=NOW)


def look(*candidates: TaggedClaim) -> Reflection[TaggedClaim]:
    return reflect(candidates, NOW, lambda at: at.date(), ANALYZER)


def tagged(count: int, total: int, tag: str = "backup") -> list[TaggedClaim]:
    return [
        TaggedClaim(
            f"{n}",
            f"Fact number {n}.",
            path=f"memory/{n}.md",
            signals=RECALLED,
            tags=(tag,) if n < count else (f"x{n}",),
        )
        for n in range(total)
    ]


def test_a_tag_in_three_of_eight_is_a_theme_and_in_two_is_none() -> None:
    (theme,) = look(*tagged(3, 8)).themes

    assert (theme.tag, theme.count, theme.strength) == ("backup", 3, 0.75)
    assert look(*tagged(2, 8)).themes == ()


@pytest.mark.parametrize("tag", ["резервная", "备份", "バックアップ", "respaldo"])
def test_themes_in_other_languages(tag: str) -> None:
    assert [theme.tag for theme in look(*tagged(4, 8, tag)).themes] == [tag]


def test_what_light_chose_is_preferred_until_it_was_considered() -> None:
    staged_at = NOW - timedelta(minutes=1)
    waiting = replace(RECALLED, light_hits=1, last_light_at=staged_at)
    staged = TaggedClaim("staged", "One.", path="a.md", signals=waiting)
    other = TaggedClaim("other", "Two.", path="b.md", signals=RECALLED)

    first = look(staged, other)
    seen = replace(staged, considered_at=NOW)
    second = look(seen, other)

    assert [one.key for one in first.considered] == ["staged"]
    assert [truth.candidate.key for truth in first.truths] == ["staged"]
    assert second.considered == ()
    assert {truth.candidate.key for truth in second.truths} == {"staged", "other"}


def test_confidence_by_its_parts() -> None:
    signals = Signals(
        recalls=6, total_score=6.0, days=tuple(NOW.date() - timedelta(n) for n in range(3)), tags=6
    )

    assert confidence(signals) == pytest.approx(1.0)
    assert confidence(Signals(dailies=1, total_score=0.62)) == pytest.approx(0.45 * 0.62)


def test_at_most_three_truths_the_likeliest_first_and_none_unlikely() -> None:
    """What only stands in notes does not reach the least confidence; near-duplicates count once."""
    likely = [
        TaggedClaim(
            f"{n}",
            f"Fact number {n}.",
            path="a.md",
            signals=replace(RECALLED, recalls=n + 2, total_score=n + 2),
        )
        for n in range(5)
    ]
    same = replace(likely[4], key="same", signals=likely[3].signals)
    noted = TaggedClaim("noted", "Nobody asked.", signals=Signals(dailies=5, total_score=3.1, last_at=NOW))

    found = look(*likely, same, noted).truths

    assert [truth.candidate.key for truth in found] == ["4", "3", "2"]
    assert len(found) == MOST_TRUTHS
    assert look(noted).truths == ()


def test_nothing_from_outside_and_nothing_old() -> None:
    old = NOW - timedelta(days=8)
    out = TaggedClaim("out", signals=RECALLED, provenance=FOREIGN, tags=("backup",))
    late = TaggedClaim("late", signals=replace(RECALLED, last_at=old, days=(old.date(),)), tags=("backup",))

    assert look(out, late) == Reflection((), (), ())
