import base64
import random
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.identifiers import IDENTIFIER_CHARS
from openclaw_memd.domain.text import Analyzer, Term
from tests.domain.samples import SAMPLES, Sample, any_text, mixed_text
from tests.work import grows_with_length

LANGUAGES = tuple(
    dict.fromkeys(
        s.language for s in SAMPLES if s.language not in {"he", "zh", "ja", "ko", "th", "lo", "km", "my"}
    )
)
ANALYZER = Analyzer(LANGUAGES)
ENGLISH = Analyzer()
SEPARATORS = re.compile(r"[\s\x00-\x1f\x7f\"A-Z\ud800-\udfff]")


def matches(term: Term, terms: list[str]) -> bool:
    if term.prefix:
        return any(indexed.startswith(term.forms) for indexed in terms)
    return not set(term.forms).isdisjoint(terms)


def finds(query: str, text: str, analyzer: Analyzer = ANALYZER) -> bool:
    """Whether every term of ``query`` matches ``text``."""
    wanted = analyzer.query_terms(query)
    indexed = analyzer.index_terms(text)
    return bool(wanted) and all(matches(term, indexed) for term in wanted)


def finds_some(query: str, text: str) -> int:
    indexed = ANALYZER.index_terms(text)
    return sum(matches(term, indexed) for term in ANALYZER.query_terms(query))


def forms(query: str, analyzer: Analyzer = ENGLISH) -> list[str]:
    return [term.forms[0] for term in analyzer.query_terms(query)]


@pytest.mark.parametrize(
    ("sample", "query"),
    [pytest.param(s, q, id=f"{s.language}-{q}") for s in SAMPLES for q in s.queries],
)
def test_finds_words_of_every_language(sample: Sample, query: str) -> None:
    assert finds(query, sample.note)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.language)
def test_does_not_find_what_is_not_there(sample: Sample) -> None:
    assert not finds(sample.absent, sample.note)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.language in {"zh", "ja", "th", "lo", "km", "ko"}])
def test_finds_every_substring_of_an_unspaced_run(sample: Sample) -> None:
    run = max(sample.note.split(), key=len)
    units = re.findall(
        r".[\u0300-\u036f\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ecd\u17b6-\u17d3]*", run
    )
    for start in range(len(units)):
        for end in range(start + 1, len(units) + 1):
            assert finds("".join(units[start:end]), sample.note)


LITERAL_QUERIES = [
    *(
        "don't",
        "a/b.py",
        "multi-agent",
        "CHG-48213",
        "user@host",
        "C++",
        "50%",
        "#tag",
        "NOT",
        "a AND",
        "x:y",
    ),
    *(
        "FOO_bar",
        "fooBarBaz",
        "v1.2",
        "C#",
        "192.168.0.1",
        "foo::bar",
        "https://example.org/a/b?x=1",
        "$HOME",
        "3f2a9c1",
    ),
    *(
        "~/.config/x.toml",
        "+49-30-901820",
        "2026-01-11",
        "1,000,000",
        "--dry-run",
        "GPT模型",
        "2024年1月",
        "👍🏽",
        "🇩🇪",
    ),
    *(
        "AT&T",
        "it's",
        "Anna's",
        "l'eau",
        "R&D",
        "key=value",
        "C:\\temp\\x",
        "@anna",
        ".env",
        "x.y.z",
        "10:30",
        "½",
        "№5",
    ),
]


@pytest.mark.parametrize("query", LITERAL_QUERIES)
@pytest.mark.parametrize(
    "frame", ["{}", "see {}.", "({})", "**{}**, then", '"{}"', "最近{}。", "`{}`!", "- {}\n"]
)
def test_ordinary_punctuation_finds_its_literal_text(query: str, frame: str) -> None:
    assert finds(query, frame.format(query))


@pytest.mark.parametrize(
    "query", ["", " ", '"', "(", "*", "()", "-", "--", "...", "\ud800", "\x00", "___", "\u200b", "\u0301"]
)
def test_a_query_of_punctuation_has_no_terms(query: str) -> None:
    assert ENGLISH.query_terms(query) == []
    assert ENGLISH.index_terms(query) == []


def test_a_short_word_is_a_whole_word() -> None:
    assert finds("CI", "The CI is red")
    assert not finds("CI", "a social decision")


def test_a_long_chinese_query_is_ranked_by_overlap() -> None:
    overlaps = [finds_some("打印机驱动升级", note) for note in ("打印机的驱动", "驱动怎么升级", "周五上午")]
    assert overlaps[0] > 0
    assert overlaps[1] > 0
    assert overlaps[2] == 0


def test_an_identifier_is_one_term_and_its_parts_are_weaker() -> None:
    (term,) = ENGLISH.query_terms("CHG-48213")
    assert term.kind == "identifier"
    assert term.forms == ("chg-48213", "chg48213")
    assert [part.forms for part in term.parts] == [("chg",), ("48213",)]
    assert not finds("CHG-48213", "CHG-48214 and 48213")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("48213", "see CHG-48213"),
        ("chg48213", "see CHG-48213"),
        ("bar", "FOO_bar"),
        ("baz", "fooBarBaz"),
        ("foobarbaz", "fooBarBaz"),
        ("agent", "multi-agents"),
        ("multiagent", "multi-agent"),
        ("b.py", "src/a/b.py"),
        ("a/b.py", "src/a/b.py"),
        ("etc/hosts", "/etc/hosts"),
        ("/etc/hosts", "etc/hosts"),
        ("example.org", "https://example.org/a?b=c"),
        ("host.org", "user@host.org"),
        ("1.2", "v1.2"),
        ("python", "python3"),
        ("48213", "chg48213"),
        ("1000000", "1,000,000"),
        ("20260111", "2026-01-11"),
        ("tag", "#tag"),
        ("home", "$HOME"),
        ("50", "50%"),
        ("server", "HTTPServers"),
        ("github", "GitHub"),
        ("anna", "Anna’s"),
        ("eau", "l'eau"),
        ("dont", "don't"),
        ("👍", "👍🏿"),
        ("模型", "GPT模型"),
        ("gpt", "GPT模型"),
        ("123", "１２３"),
        ("2024", "٢٠٢٤"),
        ("fine", "ﬁne"),
        ("会社", "㍿"),
        ("password", "pass\u00adword"),
        ("word", "_word_"),
        ("Mueller", "Müller"),
        ("Muller", "Müller"),
        ("Lodz", "Łódź"),
        ("istanbul", "İSTANBUL"),
    ],
)
def test_other_spellings_and_parts_find_the_whole(query: str, text: str) -> None:
    assert finds(query, text, ENGLISH)


@pytest.mark.parametrize(
    ("left", "right"),
    [("C", "C++ C#"), ("foo", "foo::bar")],
)
def test_parts_match_in_one_direction_only(left: str, right: str) -> None:
    assert finds(left, right)
    assert not finds(right, left)


def test_one_character_is_looked_for_as_a_prefix() -> None:
    assert ENGLISH.query_terms("鍵") == [Term(("鍵",), "run", prefix=True)]


def test_tokens_have_offsets_in_the_original_text() -> None:
    text = "x ﬁne ㍿ \u1112\u1161\u11ab\u1100\u1173\u11af ｶﾞｽ １２ cafe\u0301s."
    tokens = ENGLISH.tokens(text)
    assert [text[token.start : token.end] for token in tokens if token.kind == "word"] == [
        *("x", "ﬁne", "１２", "cafe\u0301s"),
    ]
    pairs = {token.forms[0]: text[token.start : token.end] for token in tokens if token.kind == "run"}
    assert pairs["会社"] == "㍿"
    assert pairs["한글"] == "\u1112\u1161\u11ab\u1100\u1173\u11af"
    assert pairs["ガス"] == "ｶﾞｽ"


def test_a_token_shows_its_whole_form_first() -> None:
    (word, identifier) = ENGLISH.tokens("Running FOO_bar.")
    assert (word.start, word.end, word.forms, word.kind) == (0, 7, ("running", "run"), "word")
    assert (identifier.start, identifier.end, identifier.kind) == (8, 15, "identifier")
    assert identifier.forms == ("foo_bar", "foobar", "foo", "bar")


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("what was the solution for the bug", ["solution", "bug"]),
        ("that thing we discussed about the API", ["api"]),
        ("wo ist der Schlüssel", ["schlussel"]),
        ("¿Dónde está la llave?", ["llave"]),
        ("où est la clé ?", ["cle"]),
        ("qual é a senha do wifi", ["senha", "wifi"]),
        ("где лежит ключ", ["лежит", "ключ"]),
        ("أين المفتاح", ["المفتاح"]),
        ("仓库在哪里", ["仓库"]),
        ("请问打印机怎么升级", ["打印", "印机", "升级"]),
        ("창고열쇠는 어디에 있어?", ["창고", "고열", "열쇠"]),
        ("where is the IT department", ["it", "department"]),
        ("WHERE IS IT NOW", ["now"]),
        ("the car or the son", ["car", "son"]),
    ],
)
def test_stop_words_are_no_query_terms(query: str, left: list[str]) -> None:
    assert forms(query) == left


@pytest.mark.parametrize("query", ["who are we", "NOT", "什么", "어디", "是的", "でした", "что это"])
def test_stop_words_stay_when_there_is_nothing_else(query: str) -> None:
    assert ENGLISH.query_terms(query)


def test_terms_come_once_in_their_order() -> None:
    assert forms("beta Alpha beta, ALPHA gamma") == ["beta", "alpha", "gamma"]


def test_identity_names_the_languages_in_any_order() -> None:
    assert Analyzer(("de", "fr")).identity == Analyzer(("fr", "de", "en")).identity
    assert Analyzer(("de",)).identity != ENGLISH.identity


@given(any_text)
def test_index_terms_are_the_forms_of_the_tokens(text: str) -> None:
    assert ENGLISH.index_terms(text) == [form for token in ENGLISH.tokens(text) for form in token.forms]


@given(any_text)
def test_forms_reach_the_index_unchanged(text: str) -> None:
    for form in ANALYZER.index_terms(text):
        assert form
        assert not SEPARATORS.search(form)
    for term in ANALYZER.query_terms(text):
        for form in term.forms:
            assert form
            assert not SEPARATORS.search(form)


@given(any_text)
def test_every_word_of_a_text_finds_it(text: str) -> None:
    indexed = ANALYZER.index_terms(text)
    for query in (text, *text.split()):
        assert all(matches(term, indexed) for term in ANALYZER.query_terms(query))


@given(any_text)
def test_parts_of_every_identifier_are_indexed(text: str) -> None:
    indexed = ANALYZER.index_terms(text)
    assert all(matches(part, indexed) for term in ANALYZER.query_terms(text) for part in term.parts)


@given(any_text)
def test_tokens_lie_in_the_text_in_its_order(text: str) -> None:
    tokens = ENGLISH.tokens(text)
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)


@given(mixed_text)
def test_the_source_of_a_token_gives_its_forms_again(text: str) -> None:
    for token in ENGLISH.tokens(text):
        assert set(token.forms[:1]) <= set(ENGLISH.index_terms(text[token.start : token.end]))


@given(any_text)
def test_composed_and_decomposed_text_are_the_same(text: str) -> None:
    terms = ANALYZER.index_terms(text)
    for form in ("NFC", "NFD"):
        assert ANALYZER.index_terms(unicodedata.normalize(form, text)) == terms


@given(st.lists(any_text))
def test_many_lines_are_analysed_like_one(lines: list[str]) -> None:
    assert ANALYZER.index_lines(lines) == [ANALYZER.index_line(line) for line in lines]
    assert Analyzer(ANALYZER.languages).identity == ANALYZER.identity


@given(any_text, any_text)
def test_lines_are_analysed_alone(left: str, right: str) -> None:
    assert ENGLISH.index_terms(f"{left}\n{right}") == ENGLISH.index_terms(left) + ENGLISH.index_terms(right)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a-",
        "a.",
        "a/",
        "_",
        "'",
        "://",
        "x://",
        "Aa",
        "a1",
        "--",
        "+",
        "仓",
        "か",
        "가",
        "ก็",
        "\u0301",
        "a\u0301",
        "👍",
        "ﷺ",
        "\ud800",
    ],
)
def test_long_input_of_one_kind_is_analysed(piece: str) -> None:
    text = piece * (6_000 // len(piece.encode(errors="replace")))
    terms = ENGLISH.index_terms(text)
    assert terms == [form for token in ENGLISH.tokens(text) for form in token.forms]
    assert all(matches(term, terms) for term in ENGLISH.query_terms(text))


@given(st.integers(0, 2**32))
def test_forms_do_not_depend_on_what_was_analysed_before(seed: int) -> None:
    text = f"Seed{seed} CHG-{seed} don't Größe 仓库{seed}"
    assert ENGLISH.index_terms(text) == Analyzer().index_terms(text)


ODD_UNITS = [
    "a/b.",
    "a-",
    "pkg/mod.",
    "word ",
    "记",
    "\u0301",
    "\u0301\u0316",
    "क",
    "_",
    "aA1",
    "[",
    "*",
    "\\",
    "1,",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ODD_UNITS)
def test_odd_text_takes_no_more_than_its_length(unit: str) -> None:
    analyzer = Analyzer()
    for work in (analyzer.index_line, analyzer.tokens):
        assert grows_with_length(lambda size, work=work: work(f"a{unit * size}"), 6_000)  # type: ignore[misc]


@pytest.mark.parametrize("unit", ODD_UNITS)
def test_no_token_has_more_forms_than_an_identifier_can_have(unit: str) -> None:
    tokens = Analyzer().tokens(f"start {unit * 4_000} end")

    assert max(len(token.forms) for token in tokens) <= 2 * IDENTIFIER_CHARS
    assert "end" in tokens[-1].forms


def test_the_words_of_what_is_too_long_for_an_identifier_are_found() -> None:
    path = ".".join(f"pkg{number}/mod{number}" for number in range(500))
    terms = Analyzer().index_terms(path)

    assert {"pkg77", "mod499", "pkg", "mod"} <= set(terms)
    assert len(terms) < 2 * len(path)
    assert all(forms.forms[0] in terms for forms in Analyzer().query_terms("pkg77"))


def test_encoded_bytes_are_one_word() -> None:
    blob = base64.b64encode(random.Random(5).randbytes(30_000)).decode()
    terms = Analyzer().index_terms(f"![](data:image/png;base64,{blob}) caption")

    assert len(terms) < 12
    assert {"image", "png", "caption"} <= set(terms)
