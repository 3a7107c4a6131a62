import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.git_remotes import remote_key
from openclaw_memd.domain.project_keys import format_project_keys, parse_project_keys

NAMES = st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9_-]{0,9}\Z")
HOSTS = st.from_regex(r"\A[A-Za-z][A-Za-z0-9-]{0,9}(\.[A-Za-z]{2,4}){1,2}\Z")

FORMS = (
    "{host}:{path}.git",
    "git@{host}:{path}",
    "git@{host}:/{path}.git",
    "ssh://git@{host}/{path}.git",
    "ssh://git@{host}:2222/{path}",
    "SSH://{host}/{path}/",
    "git+ssh://git@{host}/{path}.git",
    "https://{host}/{path}",
    "https://{host}/{path}.git/",
    "https://user:p%40ss@{host}:8443/{path}.git",
    "https://user:p@ss@{host}/{path}.git",
    "http://{host}//{path}.git",
    "git://{host}/{path}.git",
    " https://{host}/{path}\n",
)


@given(HOSTS, st.lists(NAMES, min_size=1, max_size=4).map("/".join))
def test_every_form_of_an_address_gives_one_key(host: str, path: str) -> None:
    keys = {remote_key(form.format(host=host, path=path)) for form in FORMS}

    key = f"{host.lower()}/{path}"
    assert keys == {key}
    assert parse_project_keys([format_project_keys([key])]) == (key,)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("git@GitHub.com:Owner/Repo.git", "github.com/Owner/Repo"),
        ("https://example.org/a%20b.git", "example.org/a b"),
        ("https://example.org/~ana/x.git", "example.org/~ana/x"),
        ("git@example.org:~/x.git", "example.org/x"),
        ("ssh://git@[::1]:22/a/b.git", "[::1]/a/b"),
        ("[::1]:a/b.git", "[::1]/a/b"),
        ("https://example.org/a/b?x=1#y", "example.org/a/b"),
        ("file:///srv/git/x.git", "path:/srv/git/x"),
        ("file://localhost/srv/git/x", "path:/srv/git/x"),
        ("file://nas/share/x.git", "nas/share/x"),
        ("/srv/git/x.git/", "path:/srv/git/x"),
    ],
)
def test_addresses_and_their_keys(url: str, key: str) -> None:
    assert remote_key(url) == key


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "https://example.org",
        "https://example.org/",
        "https:///a/b",
        "https://example.org/.git",
        "https://example.org/a/../b",
        "https://example.org/a%0ab",
        "svn://example.org/a",
        "ext::sh -c evil",
        "../x.git",
        "x",
        "C:/x/y",
        "C:\\x\\y",
        "/",
        "file://",
        "git@example.org:",
        "a\x00b:c",
    ],
)
def test_what_is_no_address_has_no_key(url: str) -> None:
    assert remote_key(url) is None


def test_forks_are_projects_of_their_own() -> None:
    assert remote_key("git@example.org:ana/x.git") != remote_key("git@example.org:ben/x.git")


@given(st.text(max_size=60))
def test_any_text_gives_a_key_that_can_be_written_or_none(url: str) -> None:
    key = remote_key(url)

    if key is not None and not set(key) & set("<>"):
        assert parse_project_keys([format_project_keys([key])]) == (key,)
