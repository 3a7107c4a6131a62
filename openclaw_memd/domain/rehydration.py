"""What a candidate's source says now: nothing is promoted that its note does not hold any more. Pure.

A candidate keeps the text that was found once, perhaps cut, perhaps several items of a list as one, perhaps
under a heading that has another name by now. What counts is the claim as it stands in the note.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, Annotations
from openclaw_memd.domain.claims import claim_text
from openclaw_memd.domain.daily_claims import Claim
from openclaw_memd.domain.folding import normalize

_CUT_CHARS: Final = 200
"""A shorter text was not cut: it must be there whole."""

_MOST_ITEMS: Final = 8  # OpenClaw's value, like the next
_MORE_ITEMS: Final = 3
_ELLIPSES: Final = ("...", "…")
_JOINTS: Final = ("; ", " ")
_BEHIND_HEADING: Final = ": "


@dataclass(frozen=True, slots=True)
class LiveClaim:
    """A claim as it stands in its note now, in one line.

    Lines are counted from 1, both included. ``body`` is the text without what stands above it, in the lines
    of ``context``. ``annotations`` are what its entry says of it.
    """

    text: str
    body: str
    start_line: int
    end_line: int
    context: tuple[int, ...] = ()
    annotations: Annotations = NO_ANNOTATIONS


@dataclass(frozen=True, slots=True)
class _Match:
    is_whole: bool
    text: str
    body: str
    start_line: int
    end_line: int
    context: tuple[int, ...] = ()
    annotations: Annotations = NO_ANNOTATIONS


def rehydrate(claims: Sequence[Claim], said: str, start_line: int, end_line: int) -> LiveClaim | None:
    """Where a note of these ``claims`` says what a candidate ``said`` when it stood at these lines; None:
    nowhere.

    Of several places the nearest counts, of texts that only begin like it none when another is the same.
    """
    target = _key(claim_text(said))
    if not target:
        return None
    most = max(end_line - start_line + 1 + _MORE_ITEMS, _MOST_ITEMS)
    found = min(
        _matches(claims, target, most),
        key=lambda match: (
            not match.is_whole,
            abs(match.start_line - start_line),
            abs((match.end_line - match.start_line) - (end_line - start_line)),
            match.start_line,
        ),
        default=None,
    )
    if found is None:
        return None
    return LiveClaim(
        found.text, found.body, found.start_line, found.end_line, found.context, found.annotations
    )


def says(text: str, said: str) -> bool:
    """Whether a text is what a candidate ``said``, but for spacing, case and Unicode forms."""
    return _key(text) == _key(claim_text(said))


def _matches(claims: Sequence[Claim], target: str, most: int) -> Iterator[_Match]:
    head = _without_ellipsis(target)
    for index, claim in enumerate(claims):
        text, body = _key(claim.text), _key(claim.body)
        if target == body:  # an item that was known without its heading gets none
            yield _match(claim, is_whole=True, is_bare=True)
        elif target == text or target.endswith(_BEHIND_HEADING + body):
            yield _match(claim, is_whole=True)
        elif len(head) >= _CUT_CHARS and text.startswith(head):
            yield _match(claim, is_whole=False)
        elif len(head) >= _CUT_CHARS and body.startswith(head):
            yield _match(claim, is_whole=False, is_bare=True)
        elif body in target:
            yield from _runs(claims[index : index + most], target)


def _match(claim: Claim, *, is_whole: bool, is_bare: bool = False) -> _Match:
    text, context = (claim.body, ()) if is_bare else (claim.text, claim.context)
    return _Match(is_whole, text, claim.body, claim.start_line, claim.end_line, context, claim.annotations)


def _runs(claims: Sequence[Claim], target: str) -> Iterator[_Match]:
    """Several claims in a row that were found as one text."""
    first = claims[0]
    heading = first.text.removesuffix(first.body)
    for joint in _JOINTS:
        for count in range(2, len(claims) + 1):
            run = claims[:count]
            key = _key(joint.join(claim.body for claim in run))
            if target == key or target.endswith(_BEHIND_HEADING + key):
                body = _JOINTS[0].join(claim.body for claim in run)
                text, context = (body, ()) if target == key else (heading + body, first.context)
                same = all(claim.annotations == first.annotations for claim in run)
                said = first.annotations if same else NO_ANNOTATIONS
                yield _Match(True, text, body, first.start_line, run[-1].end_line, context, said)
            elif len(key) > len(target):
                break


def _without_ellipsis(text: str) -> str:
    for mark in _ELLIPSES:
        text = text.removesuffix(mark)
    return text.rstrip()


def _key(text: str) -> str:
    return " ".join(normalize(text).casefold().split())
