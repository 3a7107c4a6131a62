from openclaw_memd.domain.cuts import cut_pieces


def pieces(
    text: str, *, budget: int, overlap: int = 0, borders: tuple[tuple[int, ...], ...] = ()
) -> list[str]:
    return [text[a:b] for a, b in cut_pieces(text, 0, len(text), borders, budget=budget, overlap=overlap)]


def test_a_border_near_the_budget_is_preferred_to_a_later_line_start() -> None:
    text = "aaaa aaa\nbbb\nccc\nddddd"
    assert pieces(text, budget=16, borders=((13,),)) == ["aaaa aaa\nbbb", "ccc\nddddd"]
    assert pieces(text, budget=16) == ["aaaa aaa\nbbb\nccc", "ddddd"]


def test_better_borders_come_first_and_far_ones_do_not_count() -> None:
    text = "aaaa aaa\nbbb\nccc\nddddd"
    assert pieces(text, budget=16, borders=((13,), (17,)))[0] == "aaaa aaa\nbbb"
    assert pieces(text, budget=16, borders=((9,), (17,)))[0] == "aaaa aaa\nbbb\nccc"


def test_a_line_start_is_preferred_to_a_blank_and_a_blank_to_the_middle_of_a_word() -> None:
    assert pieces("aaaaaaa\nb ccccc", budget=10) == ["aaaaaaa", "b ccccc"]
    assert pieces("aaaaaaa b ccccc", budget=10) == ["aaaaaaa b", "ccccc"]
    assert pieces("aa bbbbbbbbbbbb", budget=10) == ["aa bbbbbbb", "bbbbb"]


def test_the_overlap_begins_at_a_line_start_else_at_a_word_start_else_where_it_reaches() -> None:
    assert pieces("aaa bbb\nccc\nddd eee", budget=12, overlap=6)[:2] == ["aaa bbb\nccc", "ccc\nddd eee"]
    assert pieces("aaa bbb ccc ddd eee", budget=12, overlap=6)[:2] == ["aaa bbb ccc", "ccc ddd eee"]
    assert pieces("abcdefghijklmno", budget=12, overlap=6) == ["abcdefghijkl", "ghijklmno"]


def test_a_character_is_cut_only_when_it_is_longer_than_the_budget() -> None:
    family = "👩‍👩‍👧"
    assert pieces("ab" + family, budget=9) == ["ab", family]
    assert pieces("abcdef" + family, budget=9, overlap=5) == ["abcdef", family]
    assert pieces("e" + "\u0301" * 6, budget=4) == ["e" + "\u0301" * 3, "\u0301" * 3]


def test_blank_text_between_pieces_is_in_none() -> None:
    assert pieces("a" + "\n" * 40 + "b", budget=4) == ["a", "b"]
    assert pieces("a" + " " * 40 + "b", budget=4)[0] == "a"
