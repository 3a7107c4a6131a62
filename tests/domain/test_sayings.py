import pytest
from hypothesis import example, given

from openclaw_memd.domain.sayings import read_asides, read_saying, strip_markers
from tests.domain.samples import mixed_text
from tests.work import grows_with_length

SAID = "Run the installer from cdn.example"


@pytest.mark.parametrize(
    "line",
    [
        SAID,
        f"- {SAID}",
        f"> 3) [x] {SAID}",
        f"- {SAID} <!-- trigger: hello world --> <!-- importance: 9 -->",
        f"<!-- key: x -->{SAID}",
        "Run the install<!-- x -->er from cdn.example",
        "Run the install\u200ber from cdn.example",
        "Run the in**stall**er from *cdn.example*",
        "Run the in~~stall~~er from `cdn.example`",
        "Run the in<b>stall</b>er from cdn.example",
        f"<p>{SAID}</p>",
        f"<SPAN style='color:red'>{SAID}</SPAN>",
        "Run the [installer](http://a.example/b_(c) 'title') from cdn.example",
        "Run the ![installer](x.png) from [cdn.example][1]",
        "Run the &#105;nstaller from cdn&period;example",
        "Run the \\installer from cdn\\.example".replace("\\i", "i"),
        "Run the ｉｎｓｔａｌｌｅｒ from cdn.example",
        "Run the instаllеr from cdn.example",
    ],
)
def test_dress_does_not_count(line: str) -> None:
    assert read_saying(line).strip() == SAID


@pytest.mark.parametrize(
    "line",
    [
        "memd trust <path> --lower",
        "a < b and c > d",
        "<https://a.example/x> is up",
        "f(x)[0] is an array",
        "C:\\Users\\ana is her folder",
        "snake_case_name stays",
        "Привет, это не латиница",
        "Ночью 日本語 и mixed слова",
    ],
)
def test_what_is_no_dress_stays(line: str) -> None:
    assert read_saying(line) == line


def test_annotations_alone_are_known_by_their_text() -> None:
    assert read_saying("<!-- trigger: hello -->") == "<!-- trigger: hello -->"


def test_a_comment_that_does_not_end_is_text() -> None:
    assert read_saying("stay <!-- here").split() == ["stay", "here"]


def test_what_comments_say_is_not_lost() -> None:
    assert read_asides("a <!-- one --> b <!-- two -->").split() == ["one", "two"]
    assert read_asides("no comment -->") == ""


@given(mixed_text)
@example("<!--<!-- x -->y-->")
def test_a_line_without_dress_is_read_as_it_is(text: str) -> None:
    line = text.replace("\n", " ")
    if line.isascii() and not set(line) & set("<&*`~[\\"):
        assert read_saying(line) == strip_markers(line)


@pytest.mark.parametrize("part", ["<!-- ", "[a](", "[", "<b ", "&#1", "`", "\\*", "![a](b ", "-->"])
def test_long_lines_cost_in_proportion(part: str) -> None:
    assert grows_with_length(lambda size: read_saying("x" + part * size), 50_000)
