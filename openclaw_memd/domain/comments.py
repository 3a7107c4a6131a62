"""HTML comments within a line, outside inline code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_OPEN = "<!--"
_CLOSE = "-->"
_MARK = re.compile(f"{_OPEN}|{_CLOSE}|`+")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment at ``line[start:end]``.

    One that is not ``closed`` in its line goes on to the next comment or to the end of the line.
    """

    start: int
    end: int
    body: str
    closed: bool


def comments_in_line(line: str) -> list[Comment]:
    """The comments of one line, in order. Text in inline code (backticks in this line) holds none."""
    return list(_comments(line)) if _OPEN in line else []


def strip_comments(line: str) -> str:
    """One line without its comments; one that does not end is text."""
    for comment in reversed(comments_in_line(line)):
        if comment.closed:
            line = f"{line[: comment.start].rstrip()} {line[comment.end :].lstrip()}".rstrip()
    return line


def trailing_comments(line: str, comments: Sequence[Comment]) -> Sequence[Comment]:
    """Those of a line's ``comments`` that nothing but blanks and other comments follow."""
    count = 0
    after = len(line)
    for comment in reversed(comments):
        if not comment.closed or line[comment.end : after].strip():
            break
        count += 1
        after = comment.start
    return comments[len(comments) - count :]


def is_comment_line(line: str) -> bool:
    """Whether ``line`` holds whole comments and nothing else."""
    trailing = trailing_comments(line, comments_in_line(line))
    return bool(trailing) and not line[: trailing[0].start].strip()


def _comments(line: str) -> Iterator[Comment]:
    marks = list(_MARK.finditer(line))
    code_ends = _code_ends(marks)
    index = 0
    while index < len(marks):
        mark = marks[index]
        if mark.group() != _OPEN:
            index = code_ends.get(index, index) + 1
            continue
        index += 1
        while index < len(marks) and marks[index].group() not in (_OPEN, _CLOSE):
            index += 1
        if index < len(marks) and marks[index].group() == _CLOSE:
            yield Comment(
                mark.start(), marks[index].end(), line[mark.end() : marks[index].start()], closed=True
            )
            index += 1
        else:
            end = marks[index].start() if index < len(marks) else len(line)
            yield Comment(mark.start(), end, line[mark.end() : end], closed=False)


def _code_ends(marks: Sequence[re.Match[str]]) -> dict[int, int]:
    """For each run of backticks that a later run of the same length follows, the index of that run."""
    ends: dict[int, int] = {}
    next_of_length: dict[int, int] = {}
    for index in range(len(marks) - 1, -1, -1):
        mark = marks[index].group()
        if mark[0] == "`":
            if len(mark) in next_of_length:
                ends[index] = next_of_length[len(mark)]
            next_of_length[len(mark)] = index
    return ends
