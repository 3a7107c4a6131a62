import re

import pytest

from openclaw_memd.domain.identifiers import (
    COMPOUND_PATTERN,
    URL_PATTERN,
    is_identifier,
    parse_compound,
)

MATCH = re.compile(f"{URL_PATTERN}|{COMPOUND_PATTERN}")


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
