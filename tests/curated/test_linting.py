"""Looking at the curated files of a workspace."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.linting import Linting
from openclaw_memd.domain.lint import Finding, lint_text
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.rules import FileRules
from openclaw_memd.zones import Zone
from tests.curated.worlds import World, open_world

GOALS = (
    "- Learn to swim. <!-- review: 2026-01-11 -->\n"
    "- Learn to dive. <!-- review: 2026-01-12 -->\n"
    "- Learn to sail. <!-- review: 2025-01-01 | status: superseded -->\n"
)


class Desk:
    """Who looks, and at what."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.core = CuratedCore(world.roots, FileRules.parse(), world.attributor)
        self.linting = Linting(self.core, world.roots, Analyzer(), world.clock, Zone("UTC"))

    def write(self, file: str, text: str) -> None:
        (self.world.folder / file).write_text(text, encoding="utf-8")

    async def found(self, file: str | None = None, budget: int = 10_000) -> list[tuple[str, int, str]]:
        findings = await self.linting.lint(file, lambda _: budget)
        return [(finding.file, finding.line, finding.rule.value) for finding in findings]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_world(tmp_path) as world:
        yield Desk(world)


async def test_an_empty_workspace_has_nothing_to_look_at(desk: Desk) -> None:
    assert await desk.found() == []
    assert desk.linting.warnings() == []


async def test_a_file_with_more_entries_than_are_of_use_is_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("curated.looking", "curated.linting", "domain.lint"):
        monkeypatch.setattr(f"openclaw_memd.{module}.MOST_ENTRIES", 3)
    desk.write("MEMORY.md", "".join(f"- Rack {n} is full.\n" for n in range(3)))
    assert await desk.found() == []
    assert desk.linting.warnings() == []
    desk.write("MEMORY.md", "".join(f"- Rack {n} is full.\n" for n in range(9)))
    assert await desk.found() == [("MEMORY.md", 4, "too_many_entries")]
    (warning,) = desk.linting.warnings()
    assert "MEMORY.md has more than 3 entries" in warning
    assert len(desk.core.state.files["MEMORY.md"].entries) == 4  # one more than are of use


async def test_both_files_are_looked_at_or_one(desk: Desk) -> None:
    desk.write("MEMORY.md", GOALS)
    desk.write("USER.md", "<!-- observed: 2026-01-01 | status: active -->\n- Ana lives in Graz.\n")
    due, order = ("MEMORY.md", 1, "review_due"), ("USER.md", 1, "not_imperative")
    assert await desk.found() == [due, order]
    assert await desk.found("USER.md") == [order]
    desk.world.clock.forward(days=1)
    assert (await desk.found("MEMORY.md"))[1:] == [("MEMORY.md", 2, "review_due")]


async def test_a_file_that_cannot_be_used_and_other_names_are_told(desk: Desk) -> None:
    desk.write("memory.md", "- old\n")
    (desk.world.folder / "USER.md").symlink_to("memory.md")
    assert await desk.found() == [("memory.md", 1, "name_case"), ("USER.md", 1, "unreadable")]
    (finding, _) = await desk.linting.lint(None, lambda _: 10_000)
    assert finding.detail == "not read: only MEMORY.md is"
    assert await desk.found("MEMORY.md") == [("memory.md", 1, "name_case")]


async def test_a_file_that_takes_long_is_looked_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("MEMORY.md", "- a <!-- importance: 99 -->\n")
    may_look, looks = threading.Event(), 0

    def look_late(*args: Any, **kwargs: Any) -> list[Finding]:
        nonlocal looks
        looks += 1
        assert may_look.wait(60)
        return lint_text(*args, **kwargs)

    monkeypatch.setattr("openclaw_memd.curated.linting.lint_text", look_late)
    try:
        for _ in range(2):
            with trio.move_on_after(0.05):
                await desk.found()
    finally:
        may_look.set()
    assert await desk.found() == [("MEMORY.md", 1, "bad_importance")]
    assert looks == 1, "what nobody waited for was not in vain, and did not pile up"
    desk.write("memory.md", "")
    assert ("memory.md", 1, "name_case") in await desk.found()
    desk.write("MEMORY.md", "- a\n")
    assert await desk.found() == [("memory.md", 1, "name_case")]


async def test_a_second_name_is_told_and_the_file_looked_at(desk: Desk) -> None:
    desk.write("MEMORY.md", "- a <!-- importance: 99 -->\n")
    (desk.world.folder / "twin.md").hardlink_to(desk.world.folder / "MEMORY.md")
    findings = await desk.linting.lint(None, lambda _: 10_000)
    assert [finding.rule.value for finding in findings] == ["unreadable", "bad_importance"]
    assert findings[0].detail == "is read, and there is something about it: hard_link"
    (warning,) = desk.linting.warnings()
    assert warning.startswith("MEMORY.md has a second name")


async def test_the_status_counts_what_is_due(desk: Desk) -> None:
    desk.write("MEMORY.md", GOALS)
    await desk.core.refresh()
    assert desk.linting.warnings() == ["MEMORY.md has 1 entry to be reviewed: see `memd lint`"]
