import ast
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
import structlog

import openclaw_memd
from openclaw_memd.logs import ALLOWED_FIELDS, configure_logging


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    yield io.StringIO()
    structlog.reset_defaults()
    logging.getLogger().handlers = []
    logging.getLogger().setLevel(logging.WARNING)


def test_json_lines_hold_only_allowed_fields(stream: io.StringIO) -> None:
    configure_logging("info", "auto", stream)
    structlog.get_logger("memd.test").info(
        "file indexed", path="memory/a.md", query="my secret", text="hunter2"
    )
    line = json.loads(stream.getvalue())
    assert (line["event"], line["path"], line["level"]) == ("file indexed", "memory/a.md", "info")
    assert "hunter2" not in stream.getvalue()
    assert "my secret" not in stream.getvalue()


def test_an_exception_is_logged_without_its_message(stream: io.StringIO) -> None:
    configure_logging("info", "json", stream)
    try:
        raise ExceptionGroup("the text of a note", [ValueError("the text of a note")])
    except ExceptionGroup:
        structlog.get_logger("memd.test").exception("method failed")
    line = json.loads(stream.getvalue())
    assert line["error_type"] == "ExceptionGroup"
    assert "test_an_exception_is_logged" in line["exception"]
    assert "ValueError" in line["exception"]
    assert "the text of a note" not in stream.getvalue()


def test_other_libraries_records_lose_their_text(stream: io.StringIO) -> None:
    configure_logging("info", "json", stream)
    logging.getLogger("some.library").error("select from notes where text = 'hunter2'")
    logging.getLogger("some.library").info("not even noticed")
    assert json.loads(stream.getvalue())["event"] == "library message"
    assert "hunter2" not in stream.getvalue()


def test_levels_are_kept_apart(stream: io.StringIO) -> None:
    configure_logging("warning", "json", stream)
    structlog.get_logger("memd.test").info("quiet")
    assert stream.getvalue() == ""


def test_the_console_has_no_colours_off_a_terminal(stream: io.StringIO) -> None:
    configure_logging("info", "console", stream)
    structlog.get_logger("memd.test").info("ready")
    assert "ready" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_name_cannot_steer_a_terminal(stream: io.StringIO, form: Literal["console", "json"]) -> None:
    configure_logging("info", form, stream)
    structlog.get_logger("memd.test").info("skipped", path="仓库\x1b[31m\u202e\udcff.md")
    assert "仓库" in stream.getvalue()
    assert stream.getvalue().rstrip("\n").isprintable()


def logged_fields(source: str) -> set[str]:
    """The names of the fields that a module logs."""
    return {
        keyword.arg or "**"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in {"log", "_log"}
        for keyword in node.keywords
    }


def test_every_field_that_the_package_logs_is_allowed() -> None:
    logged = {
        field
        for path in Path(openclaw_memd.__path__[0]).rglob("*.py")
        for field in logged_fields(path.read_text(encoding="utf-8"))
    }

    assert {"pid", "exc_info"} <= logged
    assert logged - ALLOWED_FIELDS - {"exc_info"} == set()
