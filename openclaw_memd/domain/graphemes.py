"""Places inside what a reader sees as one character, where text is not cut."""

import re
import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_MODIFIER_OR_TAG = re.compile("[\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_CONJOINING_JAMO = re.compile("[\u1160-\u11ff\ud7b0-\ud7fb]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")

_LONGEST_FLAG_ROW = 256  # in longer rows, flags are counted from this far back


def splits_character(text: str, index: int) -> bool:
    """Whether a cut before ``text[index]`` would part what belongs together.

    That is a base and its marks, a joined emoji, a flag, a Hangul syllable in parts, or CRLF.
    """
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    if after.isascii():
        return after == "\n" and before == "\r"
    if before == _ZERO_WIDTH_JOINER or unicodedata.category(after).startswith("M"):
        return True
    if _MODIFIER_OR_TAG.match(after) or _CONJOINING_JAMO.match(after):
        return True
    return bool(_FLAG_LETTER.match(after)) and _flag_letters_before(text, index) % 2 == 1


def _flag_letters_before(text: str, index: int) -> int:
    begin = index
    floor = max(0, index - _LONGEST_FLAG_ROW)
    while begin > floor and _FLAG_LETTER.match(text[begin - 1]):
        begin -= 1
    return index - begin
