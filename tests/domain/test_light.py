"""What light chooses."""

from datetime import UTC, date, datetime, timedelta

from openclaw_memd.domain.light import LIGHT_LIMIT, choose_light
from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.provenance import FOREIGN
from openclaw_memd.domain.text import Analyzer
from tests.domain.promotion import TaggedClaim as Known

NOW = datetime(2026, 1, 20, 3, tzinfo=UTC)
TODAY = date(2026, 1, 20)
ANALYZER = Analyzer(("en",))


def recalled(days_ago: float = 0.5, **more: object) -> Signals:
    at = NOW - timedelta(days=days_ago)
    return Signals(recalls=1, total_score=0.8, queries=1, days=(at.date(),), last_at=at, **more)  # type: ignore[arg-type]


def chosen(*candidates: Known, told: tuple[str, ...] = ()) -> list[str]:
    found = choose_light(candidates, NOW, lambda at: at.date(), ANALYZER, told=told)
    return [staged.candidate.key for staged in found]


def test_only_what_was_of_use_in_two_days() -> None:
    old = Known("old", signals=recalled(3.5))
    new = Known("new", signals=recalled(1.5))

    assert chosen(old, new) == ["new"]


def test_what_only_notes_say_is_judged_by_their_days() -> None:
    """Whatever was ingested today, a note of last week is no news."""
    noted = Signals(dailies=1, days=(TODAY - timedelta(days=9),), last_at=NOW)
    today = Signals(dailies=1, days=(TODAY,), last_at=NOW)

    assert chosen(Known("old", signals=noted), Known("new", signals=today)) == ["new"]


def test_not_again_until_it_is_of_use_again() -> None:
    before = NOW - timedelta(hours=20)
    seen = Known("seen", signals=recalled(1, light_hits=1, last_light_at=before))
    again = Known("again", signals=recalled(0.1, light_hits=1, last_light_at=before))

    assert chosen(seen, again) == ["again"]


def test_nothing_from_outside_nothing_promoted() -> None:
    out = Known("out", signals=recalled(), provenance=FOREIGN)
    done = Known("done", signals=recalled(), promoted_at=NOW)

    assert chosen(out, done) == []


def test_near_duplicates_merge_within_a_place_only() -> None:
    same = "The backup of the blue server runs every night at the office in the cellar behind the old door."
    first = Known("a", same, path="memory/2026-01-19.md", signals=recalled(0.1))
    second = Known("b", f"{same[:-1]}", path="memory/2026-01-19.md", signals=recalled(0.2))
    elsewhere = Known("c", same, path="memory/2026-01-18.md", signals=recalled(0.3))

    found = choose_light([first, second, elsewhere], NOW, lambda at: at.date(), ANALYZER)

    assert [(one.candidate.key, [each.key for each in one.merged]) for one in found] == [
        ("a", ["b"]),
        ("c", []),
    ]


def test_near_duplicates_in_scripts_without_spaces_merge_and_emoji_only_when_equal() -> None:
    texts = [
        "打印机的驱动程序需要从内部网站下载并且安装",
        "打印机的驱动程序需要从内部网站下载并且安装。",
        "🎉🎉",
        "🎉",
        "🎉🎉",
    ]
    candidates = [Known(f"{n}", text, signals=recalled(n / 100)) for n, text in enumerate(texts)]

    found = choose_light(candidates, NOW, lambda at: at.date(), ANALYZER)

    assert [one.candidate.key for one in found] == ["0", "2", "3"]


def test_what_the_diary_told_goes_last_but_fills_free_places() -> None:
    told = Known("told", "The blue heron nests by the lake.", signals=recalled(0.1))
    new = Known("new", "Tickets go to the travel desk.", signals=recalled(0.2))

    assert chosen(told, new, told=("I saw that the blue heron nests by the lake.",)) == ["new", "told"]


def test_a_limit() -> None:
    many = [
        Known(f"{n}", f"Fact number {n} of many.", path=f"memory/{n}.md", signals=recalled(n / 1000))
        for n in range(LIGHT_LIMIT + 20)
    ]

    assert chosen(*many) == [f"{n}" for n in range(LIGHT_LIMIT)]
