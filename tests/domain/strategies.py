"""Generated text that looks like what people and models write into notes."""

from hypothesis import settings
from hypothesis import strategies as st

patient = settings(deadline=None)  # laws hold on a busy machine too

_WORDS = st.sampled_from(
    [
        "release",
        "blue-heron-17",
        "a/b.py",
        "café",
        "仓库",
        "引っ越し",
        "창고",
        "👩‍👩‍👧",
        "🇩🇪",
        "e\u0301",
        "\U00020000",
        "x" * 70,
    ]
)
_PROSE = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
_OPENERS = st.sampled_from(
    ["", "- ", "* ", "+ ", "1. ", "2) ", "# ", "### ", "  ", "  - ", "\t- ", "    ", "> ", "| "]
)
_SPECIAL = st.sampled_from(
    [
        "",
        "",
        "   ",
        "---",
        "***",
        "===",
        "```",
        "```python",
        "~~~~",
        "  ```",
        "- ```sh",
        "<!-- importance: 9 -->",
        "<!-- note -->",
        "<!--",
        "-->",
        "<!-- project: ; -->",
        "- Label: value",
        "...",
        "\x00",
        "\ufeff",
        "-",
        "10.",
    ]
)
_ENDINGS = st.sampled_from(["", "", " ", " <!-- trigger: a, b -->", " `<!-- key: k -->`", "\r", " :"])

lines = st.one_of(_SPECIAL, st.builds(lambda a, b, c: a + b + c, _OPENERS, _PROSE, _ENDINGS))
notes = st.builds(
    lambda mark, body, end: mark + body + end,
    st.sampled_from(["", "", "", "\ufeff", "---\ntitle: x\n---\n"]),
    st.lists(lines, max_size=40).map("\n".join),
    st.sampled_from(["", "\n", "\r\n"]),
)
texts = st.one_of(notes, st.text(max_size=400), st.text(alphabet="a 仓👩‍e\u0301🇩\n`-<!>#", max_size=400))
