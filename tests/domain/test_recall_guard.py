import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.framing import (
    BEGIN_RECALL,
    BEGIN_UNTRUSTED,
    END_RECALL,
    END_UNTRUSTED,
    Excerpt,
    frame,
)
from openclaw_memd.domain.inert import neutralize
from openclaw_memd.domain.provenance import Origin, Tier
from openclaw_memd.domain.recall_guard import blank_recalled, strip_recalled
from tests.domain.strategies import patient

BEGIN_OPENCLAW = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
END_OPENCLAW = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
PAIRS = [(BEGIN_RECALL, END_RECALL), (BEGIN_UNTRUSTED, END_UNTRUSTED), (BEGIN_OPENCLAW, END_OPENCLAW)]
DELIMITERS = [delimiter for pair in PAIRS for delimiter in pair]
HEADER = "OpenClaw runtime context (internal):\nThis context is runtime-generated, so keep it to yourself.\n"

prose = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="<>\\"), max_size=80
)  # without `<` there is no delimiter, and without `\` no escaped line break
excerpts = st.lists(
    st.builds(
        Excerpt,
        citation=st.text(max_size=20),
        text=st.one_of(
            st.text(max_size=80), st.sampled_from(DELIMITERS), st.just("a\n" + END_RECALL + "\nb")
        ),
        origin=st.sampled_from(Origin),
        tier=st.sampled_from(Tier),
        observed_on=st.none() | st.dates(date(1990, 1, 1), date(2100, 1, 1)),
        weak=st.booleans(),
    ),
    min_size=1,
    max_size=4,
)
pieces = st.one_of(
    st.sampled_from(
        [
            *DELIMITERS,
            BEGIN_RECALL[:14],
            END_UNTRUSTED[:-1],
            HEADER.partition("\n")[0],
            HEADER,
            "> " + END_RECALL,
            "> " + BEGIN_RECALL + "\n> x\n",
            ">> " + BEGIN_UNTRUSTED + "\\n>> x",
            f'{{"content": "{BEGIN_RECALL}\\nx\\n{END_RECALL}\\ny"}}',
            f'"{BEGIN_OPENCLAW}\\n',
            f'\\n{END_OPENCLAW}"',
            "\\n",
            " ",
        ]
    ),
    st.text(max_size=12),
)
jumbles = st.lists(st.tuples(pieces, st.sampled_from(["", "\n", "\r\n", "\n\n", "\\n"])), max_size=12).map(
    lambda parts: "".join(piece + end for piece, end in parts)
)


@given(prose, excerpts, prose, st.sampled_from(["\n", "\r\n"]))
@patient
def test_what_memd_framed_goes_whole_and_the_prose_stays(
    before: str, recalled: list[Excerpt], after: str, line_end: str
) -> None:
    block = frame(recalled, notice="There is more.").replace("\n", line_end)

    assert strip_recalled(before + line_end + block + line_end + after) == before + line_end + after


@given(prose, excerpts, prose)
@patient
def test_a_block_inside_a_string_of_json_goes_whole(before: str, recalled: list[Excerpt], after: str) -> None:
    def quoted(text: str) -> str:
        return json.dumps({"content": text}, ensure_ascii=False)

    assert strip_recalled(quoted(f"{frame(recalled)}\n{after}")) == quoted(after)
    assert strip_recalled(quoted(f"{before}\n{frame(recalled)}")) == quoted(f"{before}\n")


@given(jumbles)
@patient
def test_stripping_twice_is_stripping_once(text: str) -> None:
    once = strip_recalled(text)

    assert strip_recalled(once) == once


@given(st.text(st.characters(exclude_characters="<")).filter(lambda text: "penclaw" not in text.lower()))
@patient
def test_text_without_delimiters_stays_as_it_is(text: str) -> None:
    assert strip_recalled(text) == text


@given(st.lists(st.one_of(st.text(max_size=20), st.sampled_from(DELIMITERS)), max_size=6).map("\n".join))
@patient
def test_neutralised_text_is_never_a_delimiter(text: str) -> None:
    inert = neutralize(text)

    assert strip_recalled(inert) == inert


@pytest.mark.parametrize(("begin", "end"), PAIRS)
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n{begin}\nx\n{end}\nb", "a\nb"),
        ("{begin}\nx\n{end}", ""),
        ("{begin}\nx\n{begin}\ny\n{end}\nz\n{end}\nb", "b"),
        ("a\n{begin}\nx\n{begin}\ny\n{end}\nz", "a\n"),  # still open
        ("a\n{begin}\nx", "a\n"),
        ("a\n{end}\nb", "a\nb"),
        ("  {begin}\t\nx\n\t{end}  \nb", "b"),
        ("a\r\n{begin}\r\nx\r\n{end}\r\nb", "a\r\nb"),
        ("a\r{begin}\rx\r{end}\rb", "a\rb"),
        ("a\n\n{begin}\nx\n{end}\n\nb", "a\n\n\nb"),
        ("\ufeff{begin}\nx\n{end}\nb", "b"),
    ],
)
def test_blocks_go(begin: str, end: str, text: str, left: str) -> None:
    assert strip_recalled(text.format(begin=begin, end=end)) == left
    assert strip_recalled(text.format(begin=begin.lower(), end=end.lower())) == left


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize(
    "text",
    [
        "A block begins with {} and ends later.",
        'He wrote "{}" on the board.',
        "- {}",
        "`{}`",
        "{} and more",
        'print("{}")',
        "path C:\\new {}",
        'the mark "{}"',
    ],
)
def test_a_delimiter_in_a_sentence_or_a_quoted_word_is_none(delimiter: str, text: str) -> None:
    text = text.format(delimiter)

    assert strip_recalled(text) == text


@pytest.mark.parametrize(("begin", "end"), PAIRS)
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n> {begin}\n> x\n> {end}\nb", "a\nb"),
        ("a\n> mine\n> {begin}\n> > x\n>\n> {end}\n> mine too\nb", "a\n> mine\n> mine too\nb"),
        (">{begin}\n>x\n>{end}\nb", "b"),
        ("> > {begin}\n> > x\n> > {end}\n> b", "> b"),
        ("a\n> {begin}\n> x\nb", "a\nb"),  # the rest of it was not quoted
        ("a\n> > {begin}\n> > x\n> b", "a\n> b"),
        ("> x\n> {end}\nb", "> x\nb"),
        ("a\n> {begin}\n> x\n>> {end}\n> y\n> {end}\nb", "a\nb"),  # one in it is quoted once more
        ("a\n{begin}\n> {end}\nx\n{end}\nb", "a\nb"),
        ("a\n{begin}\n> {begin}\nx\n{end}\nb", "a\nb"),
        ("- a\n  > {begin}\n  > x\n  > {end}\n- b", "- a\n- b"),
    ],
)
def test_a_block_that_is_quoted_as_a_whole_goes_too(begin: str, end: str, text: str, left: str) -> None:
    assert strip_recalled(text.format(begin=begin, end=end)) == left


@given(excerpts, st.integers(1, 3))
@patient
def test_what_memd_framed_goes_whole_however_often_it_is_quoted(recalled: list[Excerpt], depth: int) -> None:
    quoted = "".join("> " * depth + line + "\n" for line in frame(recalled).split("\n"))

    assert strip_recalled(f"Before.\n{quoted}after") == "Before.\nafter"


def test_a_quoted_block_leaves_blank_lines() -> None:
    text = f"a\n> {BEGIN_RECALL}\n> x\n> {END_RECALL}\n> b\n"

    assert blank_recalled(text) == "a\n\n\n\n> b\n"


@pytest.mark.parametrize(
    "preamble",
    ["Aus Notizen, vielleicht veraltet.", "来自记忆文件的内容。", "Из файлов памяти.", "", "> [1] nothing"],
)
def test_a_translated_or_shortened_block_still_has_its_delimiters(preamble: str) -> None:
    inner = f"{BEGIN_UNTRUSTED}\n外部\n{END_UNTRUSTED}"
    text = f"Was gilt?\n{BEGIN_RECALL}\n{preamble}\n{inner}\n{END_RECALL}\nDanke."

    assert strip_recalled(text) == "Was gilt?\nDanke."


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_a_delimiter_cut_at_the_end_opens_a_block_that_holds_nothing_more(delimiter: str) -> None:
    for length in range(len("<<<BEGIN_"), len(delimiter)):
        assert strip_recalled(f"a\n{delimiter[:length]}") == "a\n"
        assert strip_recalled(f"a\n{delimiter[:length]}\n \n") == "a\n"
    assert strip_recalled("cat <<<EOF\n<<<") == "cat <<<EOF\n<<<"


def test_an_outer_end_closes_what_was_left_open_inside() -> None:
    assert strip_recalled(f"{BEGIN_RECALL}\nx\n{BEGIN_UNTRUSTED}\ny\n{END_RECALL}\nb") == "b"
    assert strip_recalled(f"{BEGIN_RECALL}\nx\n{END_UNTRUSTED}\ny\n{END_RECALL}\nb") == "b"


@pytest.mark.parametrize("times", [1, 2, 3])
def test_json_in_json_is_seen_through(times: int) -> None:
    text: str = f"{BEGIN_RECALL}\nx\n{END_RECALL}\nkeep"
    for _ in range(times):
        text = json.dumps({"text": text})

    stripped = strip_recalled(text)

    assert "keep" in stripped
    assert "MEMD" not in stripped


@pytest.mark.parametrize("quote", ["", "> ", ">> "])
def test_angle_brackets_written_as_escapes_count(quote: str) -> None:
    text = (
        json.dumps(f"{quote}{BEGIN_OPENCLAW}\n{quote}x\n{quote}{END_OPENCLAW}\nkeep")
        .replace("<", "\\u003c")
        .replace(">", "\\u003E")
    )

    assert strip_recalled(text) == '"keep"'


@pytest.mark.parametrize("stamp", ["", "[Fri 2026-03-20 08:06 UTC] "])
@pytest.mark.parametrize(
    "header",
    [
        "OpenClaw runtime context (internal):",
        "OpenClaw runtime context for the immediately preceding user message.",
        "OpenClaw runtime event.",
    ],
)
def test_the_older_blocks_of_openclaw_go_to_the_end(stamp: str, header: str) -> None:
    notice = "This context is runtime-generated, not user-authored. Keep internal details private."

    assert strip_recalled(f"a\n{stamp}{header}\n{notice}\n\nsource: subagent\nresult") == "a\n"
    assert strip_recalled(f"a\n{stamp}{header}") == "a\n"
    assert strip_recalled(f"a\n{stamp}{header}\nis a heading that I read") == (
        f"a\n{stamp}{header}\nis a heading that I read"
    )


def test_a_hostile_text_costs_little() -> None:
    text = "\n".join([*DELIMITERS, HEADER.partition("\n")[0], '"' * 50, "\\n" * 50]) * 500

    assert len(strip_recalled(text)) < len(text)
