"""Annotations that do not say what their author meant."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from openclaw_memd.domain.annotations import parse_annotations, read_parts
from openclaw_memd.domain.comments import Comment, comments_in_line, trailing_comments
from openclaw_memd.domain.curated_files import USER
from openclaw_memd.domain.fences import lines_outside_fences
from openclaw_memd.domain.lint_rules import Rule
from openclaw_memd.domain.markdown import Entry

NAMES: Final = ("trigger", "importance", "project", "key", "review", "observed", "status", "expires")
_DATES: Final = ("review", "observed", "expires")
_NAME: Final = re.compile(r"\s*([a-z]{3,12})\s*[:=]", re.ASCII)
_CLOSE_ENOUGH: Final = 0.75

Found = tuple[int, Rule, str]


def find_malformed(entry: Entry, file: str) -> Iterator[Found]:
    """Line, rule and detail of each annotation of ``entry`` that does not count."""
    if entry.kind == "front_matter" or "<!--" not in entry.text:
        return
    is_block = entry.kind == "comment" and entry.end_line > entry.start_line
    for index, text in lines_outside_fences(entry.text.split("\n")):
        line = entry.start_line + index
        comments = comments_in_line(text)
        trailing = trailing_comments(text, comments)
        for comment in comments:
            parts = list(read_parts(comment))
            if not comment.closed:
                if parts or not is_block:
                    yield line, Rule.UNTERMINATED_COMMENT, "a comment is not closed in its line"
                continue
            yield from ((line, rule, detail) for rule, detail in _look_at_names(comment))
            for name, value in parts:
                if comment not in trailing and name != "project":
                    yield line, Rule.MISPLACED_ANNOTATION, f"`{name}` counts at the end of a line only"
                elif name != "project" or file != USER:
                    yield from ((line, rule, detail) for rule, detail in _look_at_value(name, value))


def _look_at_names(comment: Comment) -> Iterator[tuple[Rule, str]]:
    for part in comment.body.split("|"):
        match = _NAME.match(part.lower())
        if match is None or (match[1] in NAMES and ":" in match[0]):
            continue
        close = get_close_matches(match[1], NAMES, n=1, cutoff=_CLOSE_ENOUGH)
        if close:
            yield Rule.UNKNOWN_ANNOTATION, f"write `{close[0]}:`"


def _look_at_value(name: str, value: str) -> Iterator[tuple[Rule, str]]:
    """What is wrong with a value, which is so when nothing of it is read."""
    said = parse_annotations(f"<!-- {name}: {value} -->")
    match name:
        case "importance" if said.importance is None:
            yield Rule.BAD_IMPORTANCE, "`importance` is not a number from 1 to 10"
        case "project" if not said.project_valid:
            yield Rule.BAD_PROJECT, "`project` is malformed: the entry is not injected anywhere"
        case "trigger" if not said.triggers:
            yield Rule.BAD_TRIGGER, "`trigger` has no phrase that can be used"
        case "status" if said.status is None:
            yield Rule.BAD_STATUS, "`status` is neither active nor superseded"
        case "key" if said.key is None:
            yield Rule.BAD_KEY, "`key` is empty or holds a character that no key may have"
        case _ if name in _DATES and getattr(said, name) is None:
            yield Rule.BAD_DATE, f"`{name}` is not a date as YYYY-MM-DD"
        case _:
            pass
