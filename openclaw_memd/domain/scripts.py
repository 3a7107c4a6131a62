"""Which script a character belongs to, as ranges of code points that regular expressions are made from.

Only what analysis needs: which scripts have stems, which lose their marks, and which are written without
spaces between words. Ranges speak of text in NFKC, so compatibility blocks are left out.
"""

import re
from enum import StrEnum


class Script(StrEnum):
    """A script that analysis treats in its own way; every other one is ``OTHER``."""

    LATIN = "latin"
    GREEK = "greek"
    CYRILLIC = "cyrillic"
    ARMENIAN = "armenian"
    ARABIC = "arabic"
    DEVANAGARI = "devanagari"
    TAMIL = "tamil"
    OTHER = "other"


_LETTERS = {
    Script.LATIN: "0041-005A 0061-007A 00C0-00D6 00D8-00F6 00F8-02AF 1D00-1D25 1E00-1EFF 2C60-2C7F A722-A7FF",
    Script.GREEK: "0370-03E1 03F0-03FF 1F00-1FFF",
    Script.CYRILLIC: "0400-052F 1C80-1C8F A640-A69F",
    Script.ARMENIAN: "0531-058A",
    Script.ARABIC: "0600-06FF 0750-077F 0870-08FF",
    Script.DEVANAGARI: "0900-097F",
    Script.TAMIL: "0B80-0BFF",
}

# Scripts written without spaces; Hangul has spaces, but particles cling to its words. Han and kana are one,
# since Japanese words mix them. Native digits are left to numbers.
_RUNS = (
    "3005-3007 3021-302F 3031-3035 3038-303C 3041-3096 3099-309A 309D-309F 30A1-30FA 30FC-30FF 3105-312F"
    " 31A0-31BF 31F0-31FF 3400-4DBF 4E00-9FFF FA0E-FA29 16FF0-16FF1 1AFF0-1B16F 20000-323AF",
    "1100-11FF A960-A97C AC00-D7A3 D7B0-D7FB",
    "0E01-0E3A 0E40-0E4E",
    "0E81-0ECE 0EDC-0EDF",
    "1780-17D3 17D7 17DC-17DD",
    "1000-103F 1050-108F 109A-109D A9E0-A9EF A9FA-A9FE AA60-AA7F",
)
_RUN_MARKS = (
    "0E31 0E34-0E3A 0E47-0E4E 0EB1 0EB4-0EBC 0EC8-0ECE 17B6-17D3 17DD 102B-103E 1056-1059 105E-1060"
    " 1062-1064 1067-106D 1071-1074 1082-108D 108F 109A-109D A9E5 AA7B-AA7D 302A-302F 3099-309A"
)

# Combining marks outside runs. A range may bridge letters and unassigned code points, never punctuation.
_MARKS = (
    "0300-036F 0483-0489 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0610-061A 064B-065F 0670 06D6-06DC"
    " 06DF-06E8 06EA-06ED 0711-07F3 07FD 0816-082D 0859-085B 0898-0963 0981-09E3 09FE-0A75 0A81-0AE3"
    " 0AFA-0B63 0B82-0BD7 0C00-0C63 0C81-0C83 0CBC-0D4D 0D57-0D63 0D81-0DF3 0F18-0F19 0F35 0F37 0F39"
    " 0F3E-0F84 0F86-0FBC 0FC6 135D-135F 1712-1734 1752-1773 180B-193B 1A17-1A1B 1A55-1A7F 1AB0-1B44"
    " 1B6B-1B73 1B80-1BF3 1C24-1C37 1CD0-1CD2 1CD4-1DFF 20D0-20F0 2CEF-2CF1 2D7F-2DFF A66F-A672 A674-A67D"
    " A69E-A6F1 A802-A827 A82C A880-A8C5 A8E0-A8F1 A8FF-A92D A947-A953 A980-A9C0 AA29-AA4D AAB0-AAC1"
    " AAEB-AAEF AAF5-AAF6 ABE3-ABEA ABEC-ABED FB1E FE20-FE2F 10A01-10A3F 10D24-10EAC 10F46-10F50"
    " 11000-11046 11070-110BA 110C2-11134 11145-11173 11180-111C0 111C9-111CC 111CE-111CF 1122C-11237"
    " 1123E 112DF-11446 1145E-114C3 115AF-115C0 115DC-11640 116AB-116B7 1171D-1172B 1182C-1183A"
    " 11930-11943 119D1-119E0 119E4-11A3E 11A47-11A99 11C2F-11C3F 11C92-11EF6 1E2AE-1E2EF 1E8D0-1E94A"
)

# Pictographs, one token each. Regional indicators come in pairs and skin tones after a base.
_EMOJI = "2300-23FF 25A0-27BF 2934-2935 2B00-2BFF 1F000-1F1E5 1F200-1F3FA 1F400-1FAFF"


def _class_body(ranges: str) -> str:
    """``ranges`` with the characters themselves: they are read in a quarter of the time of escapes."""
    return "".join("-".join(chr(int(bound, 16)) for bound in entry.split("-")) for entry in ranges.split())


RUN_BODY = "".join(map(_class_body, _RUNS))
"""The inside of a character class: every character of an unspaced script.

A pattern takes 2 ms to make for each class that has it.
"""

MAY_BE_RUN = re.compile("[^\0-\u0e00\u17de-\u3004\ufa2a-\U00016fef\U0001b170-\U0001ffff]")
"""Every character of an unspaced script, and others: what is made and looked for in no time."""

MARK_BODY = _class_body(_MARKS)
"""The inside of a character class: combining marks that stay within a word."""

RUN_PATTERN = "|".join(f"[{_class_body(run)}][{_class_body(run)}{MARK_BODY}]*" for run in _RUNS)
"""One run: characters of one unspaced script with their marks."""

UNIT_MARK = re.compile(f"[{_class_body(_RUN_MARKS)}{MARK_BODY}]")
"""A mark that belongs to the character of a run before it."""

UNIT = re.compile(f".{UNIT_MARK.pattern}*")
"""One unit of a run: a base character with the marks that belong to it."""

EMOJI_PATTERN = (
    f"[\\U0001F1E6-\\U0001F1FF]{{2}}|[{_class_body(_EMOJI)}\\U0001F1E6-\\U0001F1FF\\U0001F3FB-\\U0001F3FF]"
    "[\\U0001F3FB-\\U0001F3FF]?"
)
"""One pictograph with its skin tone, or a flag."""

SKIN_TONES = "".join(map(chr, range(0x1F3FB, 0x1F400)))

HANGUL = re.compile(f"[{_class_body(_RUNS[1])}]")

_STARTS = sorted(
    (int(entry.split("-")[0], 16), int(entry.split("-")[-1], 16), script)
    for script, ranges in _LETTERS.items()
    for entry in ranges.split()
)


def script_of(character: str) -> Script:
    """The script of one character, ``OTHER`` for digits, punctuation and scripts with no treatment."""
    code_point = ord(character)
    for first, last, script in _STARTS:
        if first <= code_point <= last:
            return script
    return Script.OTHER
