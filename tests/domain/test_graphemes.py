import pytest

from openclaw_memd.domain.graphemes import splits_character


@pytest.mark.parametrize(
    "character",
    [
        "e\u0301",
        "👩‍👩‍👧",
        "👍🏽",
        "🇩🇪",
        "☎️",
        "กุ",
        "\u1100\u1161\u11a8",
        "\r\n",
        "🏴\U000e0067\U000e0062\U000e007f",
        "1️⃣",
        "नि",
    ],
)
def test_no_place_inside_a_character_as_a_reader_sees_it_is_for_a_cut(character: str) -> None:
    text = f"a{character}b"
    assert [i for i in range(len(text) + 1) if not splits_character(text, i)] == [
        0,
        1,
        len(text) - 1,
        len(text),
    ]


def test_flags_are_pairs() -> None:
    text = "🇩🇪🇫🇷🇯🇵"
    assert [i for i in range(len(text)) if not splits_character(text, i)] == [0, 2, 4]


def test_ordinary_neighbours_may_be_parted() -> None:
    assert not any(splits_character("ab 仓库é창고😀😀\n\n", i) for i in range(14))
