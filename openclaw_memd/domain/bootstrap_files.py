"""Which files a session is given when it begins, by who it is for. Pure."""

from enum import StrEnum
from typing import Final, Literal, assert_never, get_args

from openclaw_memd.domain.audience import Bootstrap, Injection, Notes, View
from openclaw_memd.domain.curated_files import MEMORY, USER

AGENTS: Final = "AGENTS.md"
SOUL: Final = "SOUL.md"
TOOLS: Final = "TOOLS.md"
IDENTITY: Final = "IDENTITY.md"
HEARTBEAT: Final = "HEARTBEAT.md"
FIRST_RUN: Final = "BOOTSTRAP.md"

FileName = Literal[
    "AGENTS.md",
    "SOUL.md",
    "TOOLS.md",
    "IDENTITY.md",
    "USER.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "MEMORY.md",
]
FILES: Final[tuple[str, ...]] = get_args(FileName)
"""Every file, in the order in which they are shown: OpenClaw's."""

BY_NEED: Final = (USER, MEMORY, AGENTS, SOUL, TOOLS, IDENTITY, HEARTBEAT, FIRST_RUN)
"""In the order in which they take from what there is for all: nothing else shows the curated ones."""


class Reason(StrEnum):
    """Why a session asks for its files."""

    START = "start"
    NEW = "new"
    RESET = "reset"
    REFRESH = "refresh"


def files_for(view: View, *, begins: bool) -> tuple[str, ...]:
    """The files that the view's session is given, in their order.

    ``begins`` is False while a session goes on: the script for its first run is for its start alone.
    """
    match view.bootstrap:
        case Bootstrap.NONE:
            given: set[str] = set()
        case Bootstrap.USER:
            given = {AGENTS, SOUL, TOOLS, IDENTITY, USER}
            if view.injection is Injection.REMINDERS:  # a heartbeat, and nothing else, has reminders alone
                given.add(HEARTBEAT)
        case Bootstrap.PROJECT:
            given = {AGENTS, TOOLS, USER, MEMORY}
        case Bootstrap.ALL:
            given = {*FILES} if begins else {*FILES} - {FIRST_RUN}
        case _:
            assert_never(view.bootstrap)
    return tuple(file for file in FILES if file in given)


def tells_days(view: View, reason: Reason) -> bool:
    """Whether the session is told of the last days' notes."""
    sees_all = view.bootstrap is Bootstrap.ALL and view.notes is Notes.ALL
    return sees_all and reason in (Reason.NEW, Reason.RESET)
