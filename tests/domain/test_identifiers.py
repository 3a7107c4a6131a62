import base64
import random
import re

import pytest

from openclaw_memd.domain.identifiers import (
    BLOB_CHARS,
    IDENTIFIER_CHARS,
    IDENTIFIER_PIECES,
    compound_pattern,
    cut_long,
    find_blobs,
    hide_blobs,
    is_identifier,
    parse_compound,
    url_pattern,
)
from openclaw_memd.domain.scripts import RUN_BODY
from tests.work import grows_with_length

MATCH = re.compile(f"{url_pattern(RUN_BODY)}|{compound_pattern(RUN_BODY)}")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(see CHG-48213.)", ["see", "CHG-48213"]),
        ("run a/b.py, then c.", ["run", "a/b.py", "then", "c"]),
        ("C++, C# and F#!", ["C++", "C#", "and", "F#"]),
        (
            "#tag @anna $HOME 50% -5 +49-30 --dry-run .env",
            ["#tag", "@anna", "$HOME", "50%", "-5", "+49-30", "--dry-run", ".env"],
        ),
        ("- item -flag", ["item", "flag"]),
        ("1,000,000 or 1, 2,x", ["1,000,000", "or", "1", "2", "x"]),
        ("<https://example.org/a?b=c#d>.", ["https://example.org/a?b=c#d"]),
        ("[t](http://x.org/y).", ["t", "http://x.org/y"]),
        ("~/.config/x.toml ../up/a /etc/hosts src/", [".config/x.toml", "up/a", "etc/hosts", "src"]),
        ("foo::bar 'quoted' “quoted”", ["foo::bar", "quoted", "quoted"]),
        ("用户_id是user_id", ["_id", "user_id"]),
        ("_The end._ and _'The'_", ["_The", "end", "_", "and", "_", "The", "_"]),
    ],
)
def test_grammar_takes_signs_that_belong_and_no_sentence_punctuation(text: str, found: list[str]) -> None:
    assert MATCH.findall(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "CHG-48213",
        "FOO_bar",
        "fooBarBaz",
        "GitHub",
        "a/b.py",
        "v1.2",
        "user@host",
        "C++",
        "#tag",
        "50%",
        "3f2a9c1",
        "1,000",
    ],
)
def test_identifiers(text: str) -> None:
    assert is_identifier(text)


@pytest.mark.parametrize(
    "text", ["word", "Word", "NATO", "PDFs", "don't", "48213", "_word_", "café", "किताबें", "स्वागत"]
)
def test_words_and_numbers_are_no_identifiers(text: str) -> None:
    assert not is_identifier(text)


@pytest.mark.parametrize(
    ("text", "joined", "tails", "words"),
    [
        ("CHG-48213", "CHG48213", {"CHG-48213"}, ("CHG", "48213")),
        ("src/a/b.py", None, {"a/b.py", "b.py", "src", "a"}, ("src", "a", "b", "py")),
        ("fooBarBaz", None, {"fooBarBaz"}, ("fooBarBaz", "foo", "Bar", "Baz")),
        ("HTTPServer", None, {"HTTPServer"}, ("HTTPServer", "HTTP", "Server")),
        ("utf8", None, {"utf8"}, ("utf8", "utf", "8")),
        ("__init__", None, {"init"}, ("init",)),
        ("v1.2", None, {"1.2", "v1.2"}, ("v1", "2")),
        ("a@b.org", None, {"b.org", "a"}, ("a", "b", "org")),
        ("1,000", "1000", {"1,000"}, ("1", "000")),
        ("___", None, set(), ()),
    ],
)
def test_parts(text: str, joined: str | None, tails: set[str], words: tuple[str, ...]) -> None:
    compound = parse_compound(text)
    assert compound.joined == joined
    assert set(compound.tails) == tails
    assert compound.words == words


def test_only_compounds_of_words_have_stems_as_a_whole() -> None:
    assert parse_compound("multi-agents").is_wordlike
    assert not parse_compound("a/b.py").is_wordlike
    assert not parse_compound("CHG-48213").is_wordlike


def test_a_deep_path_has_few_tails() -> None:
    assert len([tail for tail in parse_compound("/".join("abcdefghij")).tails if "/" in tail]) <= 3


BYTES = random.Random(3).randbytes(6_000)


def test_the_shortest_blob_is_hidden_wherever_it_begins() -> None:
    blob = base64.b64encode(BYTES).decode().replace("+", "a").replace("/", "b")[:BLOB_CHARS]
    for chars in range(2 * BLOB_CHARS):
        before = ("word " * chars)[:chars]
        assert hide_blobs(f"{before} {blob} after") == f"{before} … after"


@pytest.mark.parametrize(
    "blob",
    [
        base64.b64encode(BYTES).decode(),
        base64.urlsafe_b64encode(BYTES).decode(),
        BYTES.hex(),
        base64.b64encode(BYTES[:150]).decode(),
    ],
    ids=["base64", "base64url", "hex", "short"],
)
def test_encoded_bytes_are_blobs_wherever_they_stand(blob: str) -> None:
    for before, after in (("", ""), ("data:image/png;base64,", ")"), ("see (", ") and more words")):
        assert [(before + blob + after)[start:end] for start, end in find_blobs(before + blob + after)] == [
            blob
        ]
        assert hide_blobs(before + blob + after) == f"{before}…{after}"


@pytest.mark.parametrize(
    "text",
    [
        "a/b" * 200,
        "-" * 400,
        "=" * 400,
        "word" * 100,
        "1" * 400,
        "some/long/path/with_words/and-more/" * 20,
        "getUserName/setUserName/" * 20,
        "pkg12/mod345/" * 40,
        "3f2a9c1b-77d0-4e1f-9c3a-" * 20,
        "f3a9c1b277d04e1f9c3a" * 3,
    ],
)
def test_words_joined_by_signs_and_short_hashes_are_no_blobs(text: str) -> None:
    assert not list(find_blobs(text))
    assert hide_blobs(text) == text


def test_an_identifier_is_cut_only_when_it_is_too_long_or_joins_too_many() -> None:
    assert cut_long("a" * IDENTIFIER_CHARS) is None
    assert cut_long(".".join(["ab"] * IDENTIFIER_PIECES)) is None
    many = cut_long(".".join(["ab"] * (IDENTIFIER_PIECES + 1)))
    assert many is not None
    assert list(many)[:2] == [(0, "ab"), (3, "ab")]
    long = cut_long("x/" + "b" * IDENTIFIER_CHARS)
    assert long is not None
    assert [piece for _, piece in long] == ["x", "b" * IDENTIFIER_CHARS]


@pytest.mark.parametrize("unit", ["क", "क-", "ก", "a\u0301", "_", "a_", "aA"])
def test_telling_identifiers_takes_no_more_than_their_length(unit: str) -> None:
    """Some letters count as marks, too: there must be one way only to divide a row of them."""
    assert grows_with_length(lambda size: is_identifier(unit * size + "-" + unit), 20_000)
