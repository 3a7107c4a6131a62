import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.sessions.paths import PartName, format_path, parse_path

ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("session_id", "part", "path"),
    [
        ("s1", 1, "sessions/main/s1"),
        ("s1", 2, "sessions/main/s1~2"),
        ("a/b", 1, "sessions/main/a%2Fb"),
        ("a%2Fb", 1, "sessions/main/a%252Fb"),
        ("s1~2", 1, "sessions/main/s1%7E2"),
        ("..", 1, "sessions/main/%2E%2E"),
        ("a\nb", 1, "sessions/main/a%0Ab"),
        ("telegram:c1", 1, "sessions/main/telegram:c1"),
        ("ключ", 3, "sessions/main/ключ~3"),
    ],
)
def test_paths(session_id: str, part: int, path: str) -> None:
    name = PartName(SessionKey("main", session_id), part)
    assert format_path(name) == path
    assert parse_path(path) == name


agents = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)


@given(agents, ids, st.integers(1, 10_000))
def test_a_path_names_one_part_and_leads_nowhere_else(agent: str, session_id: str, part: int) -> None:
    name = PartName(SessionKey(agent, session_id), part)
    path = format_path(name)
    assert parse_path(path) == name
    assert path.isprintable() or not path.isascii()
    assert path.count("/") == 2
    assert ".." not in path.split("/")


@pytest.mark.parametrize(
    "path",
    [
        "sessions/main",
        "sessions/main/",
        "sessions/main/s1~1",
        "sessions/main/s1~02",
        "sessions/main/s1~",
        "sessions/main/a/b",
        "sessions/main/..",
        "sessions/main/%2f",
        "sessions/main/%FF",
        "sessions/main/%41",
        "memory/2026-01-11.md",
        "",
    ],
)
def test_other_paths_name_nothing(path: str) -> None:
    assert parse_path(path) is None
