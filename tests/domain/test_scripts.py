import re
import unicodedata

import pytest

from openclaw_memd.domain.scripts import MARK_BODY, RUN_BODY, RUN_PATTERN, Script, script_of

MARK = re.compile(f"[{MARK_BODY}]")
RUN = re.compile(f"[{RUN_BODY}]")


def test_marks_and_runs_hold_no_space_and_no_ascii() -> None:
    for code_point in range(0x20000):
        character = chr(code_point)
        if (
            character.isspace()
            or code_point < 0x80
            or unicodedata.category(character) in {"Ps", "Pe", "Pi", "Pf", "Cs"}
        ):
            assert not MARK.match(character), hex(code_point)
            assert not RUN.match(character), hex(code_point)


@pytest.mark.parametrize("block", [(0x300, 0x370), (0x591, 0x5C8), (0x64B, 0x660), (0x900, 0xE00)])
def test_every_combining_mark_of_common_scripts_is_a_mark(block: tuple[int, int]) -> None:
    marks = [chr(c) for c in range(*block) if unicodedata.category(chr(c))[0] == "M"]
    assert marks
    assert all(MARK.match(mark) for mark in marks)


@pytest.mark.parametrize(
    ("character", "script"),
    [
        ("a", Script.LATIN),
        ("ß", Script.LATIN),
        ("σ", Script.GREEK),
        ("й", Script.CYRILLIC),
        ("م", Script.ARABIC),
        ("क", Script.DEVANAGARI),
        ("த", Script.TAMIL),
        ("հ", Script.ARMENIAN),
        ("ש", Script.OTHER),
        ("1", Script.OTHER),
        ("仓", Script.OTHER),
    ],
)
def test_script_of(character: str, script: Script) -> None:
    assert script_of(character) is script


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("GPT模型2024年", ["模型", "年"]),
        ("引っ越しとサーバー", ["引っ越しとサーバー"]),
        ("창고倉庫", ["창고", "倉庫"]),
        ("ที่ห้อง๕ห้อง", ["ที่ห้อง", "ห้อง"]),
        ("仓库，二楼・東京", ["仓库", "二楼", "東京"]),
        ("佐々木〇", ["佐々木〇"]),
    ],
)
def test_runs_are_cut_where_the_script_changes(text: str, runs: list[str]) -> None:
    assert re.findall(RUN_PATTERN, text) == runs
