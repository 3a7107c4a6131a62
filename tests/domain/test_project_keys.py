import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.project_keys import (
    INVALID_PROJECTS,
    format_project_keys,
    is_project_key,
    parse_project_keys,
    tidy_project_key,
)
from tests.domain.strategies import patient

KEYS = (
    st.text(min_size=1, max_size=20)
    | st.text(alphabet="aB/%;<>|`\r\n\t\x1b\x7f3bc p:", min_size=1, max_size=20)
    | st.from_regex(r"\A[a-z.]{1,8}/[A-Za-z/%;]{1,8}\Z")
    | st.text(alphabet="a /;%", max_size=8).map(lambda path: "path:/" + path)
)


@patient
@given(st.lists(KEYS.filter(is_project_key), min_size=1, max_size=4, unique=True))
def test_keys_come_back_as_they_were_written(keys: list[str]) -> None:
    written = format_project_keys(keys)
    assert not set(written) & set("<>|`\r\n\t\x1b\x7f")
    assert parse_project_keys([written]) == tuple(keys)


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("GitHub.com/Owner/Repo", ("github.com/Owner/Repo",)),
        ("b.org/x; a.org/y ;b.org/x", ("b.org/x", "a.org/y")),
        ("path:/Home/A;NoSlash", ("path:/Home/A", "NoSlash")),
        ("path:/a%3Bb%20c%2520%7c", ("path:/a;b%20c%20|",)),
    ],
)
def test_hosts_are_lower_case_and_the_rest_verbatim(written: str, keys: tuple[str, ...]) -> None:
    assert parse_project_keys([written]) == keys


@pytest.mark.parametrize(
    "written", ["", " ", "a/b;", ";a/b", "a/b;;c/d", "a/<b", "a>/b", "a\r/b", "%0aa/b", INVALID_PROJECTS]
)
def test_one_malformed_key_spoils_all(written: str) -> None:
    assert parse_project_keys([written]) is None
    assert parse_project_keys(["x.org/a", written]) is None


def test_no_annotation_is_no_project() -> None:
    assert parse_project_keys([]) == ()


@pytest.mark.parametrize(
    ("key", "tidy"),
    [
        (" GitHub.com/Owner/Repo ", "github.com/Owner/Repo"),
        ("path:/Home/A", "path:/Home/A"),
        ("NoSlash", "NoSlash"),
        ("a;b/%c|`", "a;b/%c|`"),
        ("", None),
        (" ", None),
        ("path:/home/<a>", "path:/home/<a>"),
        ("path:/home/a\nb\tc", "path:/home/a\nb\tc"),
        ("a/\x00", None),
        ("a/\ud800", None),
    ],
)
def test_a_key_of_a_host_is_brought_into_its_normal_form(key: str, tidy: str | None) -> None:
    assert tidy_project_key(key) == tidy
    if tidy is not None:
        assert parse_project_keys([format_project_keys([tidy])]) == (tidy,)
