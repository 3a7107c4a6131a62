from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.active_projects import MOST_PROJECTS, MOST_SESSIONS, ActiveProjects


def touch_all(keys: str, session: str = "s", projects: ActiveProjects | None = None) -> str:
    projects = projects or ActiveProjects()
    active: tuple[str, ...] = ()
    for key in keys:
        active = projects.touch("main", session, key)
    return "".join(active)


def test_the_last_four_are_active_the_newest_first() -> None:
    assert touch_all("ab") == "ba"
    assert touch_all("aba") == "ab"
    assert touch_all("abcde") == "edcb"
    assert touch_all("abcda") == "adcb"


def test_a_call_without_a_project_changes_nothing() -> None:
    projects = ActiveProjects()
    assert projects.touch("main", "s", None) == ()
    projects.touch("main", "s", "a")

    assert projects.touch("main", "s", None) == ("a",)


def test_sessions_and_agents_are_apart() -> None:
    projects = ActiveProjects()
    projects.touch("main", "s", "a")

    assert projects.touch("main", "sub", None) == ()
    assert projects.touch("other", "s", None) == ()


def test_of_many_sessions_the_one_longest_out_of_use_is_forgotten() -> None:
    projects = ActiveProjects()
    for number in range(MOST_SESSIONS):
        projects.touch("main", str(number), "a")
    projects.touch("main", "0", None)
    projects.touch("main", "new", "a")

    assert projects.touch("main", "0", None) == ("a",)
    assert projects.touch("main", "1", None) == ()


@given(st.lists(st.sampled_from("abcdef") | st.none(), max_size=30))
def test_it_is_the_last_distinct_keys(keys: list[str | None]) -> None:
    projects = ActiveProjects()
    active: tuple[str, ...] = ()
    for key in keys:
        active = projects.touch("main", "s", key)

    expected = tuple(dict.fromkeys(key for key in reversed(keys) if key is not None))[:MOST_PROJECTS]
    assert active == expected
