"""Structured logging to standard error: JSON under a service manager, readable lines on a terminal.

Fields pass an allow-list, so that a note's text, a query or a path above the workspace cannot reach the log
by a careless call: an unknown field's value is replaced, never printed.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Literal, TextIO

import structlog

Event = MutableMapping[str, Any]

ALLOWED_FIELDS = frozenset(
    [
        "event",
        "level",
        "timestamp",
        "logger",
        "exception",
        "agent",
        "agents",
        "method",
        "outcome",
        "code",
        "kind",
        "reason",
        "ref",
        "job",
        "state",
        "mode",
        "provider",
        "model",
        "dims",
        "check",
        "path",
        "socket",
        "pid",
        "uid",
        "gid",
        "signal",
        "version",
        "database",
        "table",
        "schema",
        "added",
        "changed",
        "removed",
        "unchanged",
        "skipped",
        "pending",
        "files",
        "chunks",
        "vectors",
        "rows",
        "done",
        "total",
        "count",
        "generation",
        "attempt",
        "failures",
        "restarts",
        "delay_s",
        "retry_in_s",
        "took_ms",
        "uptime_s",
        "bytes",
        "limit",
        "field",
        "fields",
        "sections",
        "errno",
        "error_type",
    ]
)
"""Names whose values may be logged. ``path`` is always relative to the workspace."""


def keep_allowed(_logger: object, _method: str, event: Event) -> Event:
    """Replace the value of every field that is not on the allow-list."""
    for name in event.keys() - ALLOWED_FIELDS:
        event[name] = "(withheld)"
    return event


def escape_unprintable(_logger: object, _method: str, event: Event) -> Event:
    """Write out what a terminal would obey: a file's name may hold it."""
    for name, value in event.items():
        if isinstance(value, str) and not value.isprintable():
            event[name] = "".join(
                letter if letter.isprintable() else letter.encode("unicode_escape").decode()
                for letter in value
            )
    return event


def describe_exception(_logger: object, _method: str, event: Event) -> Event:
    """An exception as its type and the places it passed: its message may hold a note's text."""
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    error = info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event["error_type"] = type(error).__name__
        event["exception"] = trace(error)
    return event


def trace(error: BaseException, depth: int = 0) -> str:
    """``module:function:line`` of each frame, innermost last, of an exception and of those it groups."""
    places = []
    frame = error.__traceback__
    while frame is not None:
        code = frame.tb_frame.f_code
        places.append(f"{frame.tb_frame.f_globals.get('__name__', '?')}:{code.co_name}:{frame.tb_lineno}")
        frame = frame.tb_next
    text = f"{type(error).__name__} at " + " > ".join(places[-8:])
    if isinstance(error, BaseExceptionGroup) and depth < 4:
        inner = "; ".join(trace(one, depth + 1) for one in error.exceptions[:4])
        text += f" [{inner}]"
    return text


class _StandardBridge(logging.Handler):
    """Records of the standard library's logging (hypercorn, SQLite's log) as events without their text."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger(record.name)
        log.log(record.levelno, "library message", exc_info=record.exc_info)


def configure_logging(
    level: Literal["debug", "info", "warning", "error"],
    form: Literal["auto", "json", "console"],
    stream: TextIO | None = None,
) -> None:
    """Set up structlog for the process."""
    out = sys.stderr if stream is None else stream
    console = form == "console" or (form == "auto" and out.isatty())
    renderer: Any = (
        structlog.dev.ConsoleRenderer(colors=out.isatty())
        if console
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    severity = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            describe_exception,
            keep_allowed,
            escape_unprintable,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(severity),
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [_StandardBridge()]
    root.setLevel(max(severity, logging.WARNING))
