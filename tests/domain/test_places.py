from openclaw_memd.domain.places import NEAR_LINES, Places


def test_a_line_that_came_where_one_vanished_is_near() -> None:
    places = Places([b"a", b"b", b"c"], [b"a", b"x", b"c"])
    assert places.are_near(b"b", 1)
    assert not places.are_near(b"nobody", 1)


def test_a_line_at_the_other_end_is_not_near() -> None:
    stayed = [bytes([number]) for number in range(NEAR_LINES + 1)]
    places = Places([b"old", *stayed], [b"x", *stayed, b"y"])
    assert places.are_near(b"old", 0)
    assert not places.are_near(b"old", len(stayed) + 1)


def test_of_equal_lines_only_those_that_went_count() -> None:
    stayed = [bytes([number]) for number in range(NEAR_LINES + 1)]
    places = Places([b"same", *stayed, b"same"], [b"same", *stayed, b"x"])
    assert places.are_near(b"same", len(stayed) + 1)
    assert not places.are_near(b"same", 0)
