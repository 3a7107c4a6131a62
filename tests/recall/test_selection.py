from dataclasses import replace

import pytest

from openclaw_memd.domain.provenance import Origin, SessionKind, Source, Tier
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.recall.drafts import Draft
from openclaw_memd.recall.selection import Bounds, Ranked, passes, rank_drafts, seat

BOUNDS = Bounds(min_score=0.35, limit=6, names_identifier=False)


def never_same(_left: str, _right: str) -> bool:
    return False


def draft(
    name: str,
    score: float,
    *,
    text: float | None = 0.5,
    source: Source = Source.MEMORY,
    words: str | None = None,
    **facts: object,
) -> Draft:
    words = words or f"{name} alone"
    row = ChunkRow(
        id=hash(name), path=f"memory/{name}.md", source=source, tier=Tier.EPISODIC, origin=Origin.OWNER,
        session_kind=SessionKind.INTERACTIVE, writer=None, ordinal=0, start_line=1, end_line=1,
        cut_start=False, cut_end=False, text=words, terms=words, context="", text_hash=name.encode(),
        heading="", observed_on=None, dated=False, importance=None, triggers=(), projects=(),
        project_valid=True, supersedes_key=None, expires_on=None, status=None,
    )  # fmt: skip
    made = Draft(
        row=row, start_line=1, lines=(words,), best=0, edges=(False, False),
        best_terms=frozenset(words.split()), term_lines=(words,), score=score, vector_score=None,
        text_score=text, factors={"recency": 1.0}, path_rank=0, exact=False, complete=False,
        worded=text is not None, is_over=False,
    )  # fmt: skip
    return replace(made, **facts)  # type: ignore[arg-type]


def names(drafts: object) -> list[str]:
    assert isinstance(drafts, (tuple, list))
    return [one.row.path.removeprefix("memory/").removesuffix(".md") for one in drafts]


def test_what_passes_comes_by_score_and_weak_ones_are_apart() -> None:
    ranked = rank_drafts([draft("c", 0.2), draft("b", 0.4), draft("a", 0.9)], BOUNDS, never_same)

    assert (names(ranked.kept), names(ranked.weak)) == (["a", "b"], ["c"])


def test_likeness_below_the_threshold_is_not_shown_but_its_score_is_known() -> None:
    ranked = rank_drafts([draft("a", 0.2, text=None), draft("b", 0.3, text=None)], BOUNDS, never_same)

    assert ranked == Ranked((), (), 0.3)


def test_what_shows_no_word_of_the_query_is_never_weak() -> None:
    drafts = [draft("worded", 0.1), draft("wordless", 0.3, worded=False)]

    ranked = rank_drafts(drafts, BOUNDS, never_same)

    assert (names(ranked.kept), names(ranked.weak)) == ([], ["worded"])
    assert ranked.best_below == 0.3


def test_likeness_that_is_below_the_threshold_by_its_age_alone_comes_behind_all_that_passes() -> None:
    drafts = [
        draft("old", 0.24, text=None, factors={"recency": 0.6}),
        draft("far", 0.2, text=None, factors={"recency": 0.6}),
        draft("new", 0.5),
    ]

    ranked = rank_drafts(drafts, BOUNDS, never_same)

    assert (names(ranked.kept), names(ranked.weak)) == (["new"], ["old"])
    assert ranked.best_below == 0.2


@pytest.mark.parametrize("one", [draft("a", 0.01, exact=True), draft("a", 0.01, complete=True)])
def test_no_threshold_holds_what_has_every_word(one: Draft) -> None:
    assert passes(one, 0.35)


def test_a_named_file_is_first_by_how_exactly_it_is_named() -> None:
    drafts = [draft("a", 0.9), draft("b", 0.4, path_rank=1), draft("c", 0.3, path_rank=3, exact=True)]

    assert names(rank_drafts(drafts, BOUNDS, never_same).kept) == ["c", "b", "a"]


def test_likeness_comes_behind_words_when_an_identifier_is_asked_for() -> None:
    drafts = [draft("near", 0.9, text=None), draft("named", 0.4)]

    assert names(rank_drafts(drafts, BOUNDS, never_same).kept) == ["near", "named"]
    bounds = replace(BOUNDS, names_identifier=True)
    assert names(rank_drafts(drafts, bounds, never_same).kept) == ["named", "near"]


def test_what_is_over_comes_behind_everything() -> None:
    ranked = rank_drafts([draft("old", 0.9, is_over=True), draft("weak", 0.1)], BOUNDS, never_same)

    assert (names(ranked.kept), names(ranked.weak)) == ([], ["weak", "old"])


def test_the_same_text_is_kept_once_the_best_first_and_never_beside_what_is_shown() -> None:
    drafts = [draft("a", 0.8, words="the very same words"), draft("b", 0.9, words="the very same words")]
    shown = [draft("c", 0.1, words="the very same words")]

    def same(left: str, right: str) -> bool:
        return left == right

    assert names(rank_drafts(drafts, BOUNDS, same).kept) == ["b"]
    assert rank_drafts(drafts, BOUNDS, same, shown).kept == ()


def test_passages_with_one_line_in_common_do_not_repeat_each_other() -> None:
    drafts = [
        draft("a", 0.9, words="show help", term_lines=("show help", *"abcdefgh")),
        draft("b", 0.8, words="show help", term_lines=("show help", *"stuvwxyz")),
        draft("c", 0.7),
    ]

    assert names(rank_drafts(drafts, BOUNDS, never_same).kept) == ["a", "b", "c"]


def test_a_passage_that_repeats_another_gives_way() -> None:
    drafts = [draft("a", 0.9, words="x y z"), draft("b", 0.8, words="x y z w"), draft("c", 0.7)]

    assert names(rank_drafts(drafts, replace(BOUNDS, limit=2), never_same).kept) == ["a", "c"]


def test_no_source_takes_more_than_its_share() -> None:
    own = [draft(f"own{n}", 0.9 - n / 100) for n in range(8)]
    imported = [draft(f"imported{n}", 0.5 - n / 100, source=Source.IMPORTS) for n in range(3)]

    kept = rank_drafts([*own, *imported], BOUNDS, never_same).kept

    assert names(kept) == ["own0", "own1", "own2", "imported0", "imported1", "imported2"]


def test_trusted_drafts_take_places_first() -> None:
    trusted = Ranked(tuple(draft(f"t{n}", 0.5) for n in range(6)))
    untrusted = Ranked(tuple(draft(f"u{n}", 0.9) for n in range(6)))

    assert names(seat(trusted, untrusted, 6)) == [f"t{n}" for n in range(6)]


def test_untrusted_drafts_fill_what_is_left_and_stand_by_score() -> None:
    trusted = Ranked((draft("t", 0.5),))
    untrusted = Ranked((draft("u0", 0.9), draft("u1", 0.4)))

    assert names(seat(trusted, untrusted, 6)) == ["u0", "t", "u1"]


def test_weak_trusted_drafts_keep_half_of_what_is_left() -> None:
    trusted = Ranked((draft("t", 0.5),), tuple(draft(f"w{n}", 0.2) for n in range(6)))
    untrusted = Ranked(tuple(draft(f"u{n}", 0.45) for n in range(6)))

    assert names(seat(trusted, untrusted, 6)) == ["t", "u0", "u1", "w0", "w1", "w2"]


def test_a_single_weak_trusted_draft_keeps_its_place() -> None:
    trusted = Ranked((), (draft("w", 0.1),))
    untrusted = Ranked(tuple(draft(f"u{n}", 0.9) for n in range(6)))

    assert names(seat(trusted, untrusted, 6)) == ["u0", "u1", "u2", "u3", "u4", "w"]
    assert names(seat(trusted, untrusted, 1)) == ["w"]


def test_an_exact_trusted_draft_stands_before_untrusted_ones() -> None:
    trusted = Ranked((draft("t", 0.3, exact=True),))
    untrusted = Ranked((draft("u", 0.9),))

    assert names(seat(trusted, untrusted, 6)) == ["t", "u"]
