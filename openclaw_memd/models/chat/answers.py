"""What counts as an answer of a chat model, whichever gave it."""

import re
from dataclasses import replace
from typing import Final

import trio

from openclaw_memd.ports import ChatModelError, ChatRequest

MOST_BYTES: Final = 262_144
"""More of an answer is not read: nothing that memd asks for needs a tenth of it."""

FAIR_S: Final = 5.0
"""Who was given less than this and did not answer has not failed."""

_FENCED = re.compile(r"\A\s*```\w*[ \t]*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


def unfence(text: str) -> str:
    """``text`` without the code fence that models like to put around JSON."""
    found = _FENCED.match(text)
    return found[1] if found else text


def check_answer(text: str) -> str:
    """``text``, if it is an answer.

    Raises:
        ChatModelError: it is blank, too long, or no text in Unicode.
    """
    if not text.strip():
        raise ChatModelError("invalid", "the chat model's answer is blank")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise ChatModelError("invalid", "the chat model's answer is no text") from None
    if size > MOST_BYTES:
        raise ChatModelError("too_large", "the chat model's answer is too long")
    return text


def within(request: ChatRequest, timeout_s: float) -> ChatRequest:
    """``request`` with its answer due in ``timeout_s``, or when it is due by itself if that is sooner."""
    return replace(request, deadline_at=min(request.deadline_at, trio.current_time() + timeout_s))


def timed_out() -> ChatModelError:
    """The error of a call whose deadline came first."""
    return ChatModelError("timeout", "the chat model did not answer in time")
