"""What is answered of an import, however much it found."""

import msgspec
import pytest

from openclaw_memd.config.schema import Limits
from openclaw_memd.domain.importing import Standing
from openclaw_memd.gateway.import_results import show_applied, show_preview, show_undone
from openclaw_memd.ops.imports.types import Applied, Beside, ForeignIntent, FoundFile, Left, Preview, Undone


def found(count: int) -> Preview:
    left = tuple(Left(f"memory/imports/path/{'d' * 900}/{number}.md", "exists") for number in range(count))
    intent = ForeignIntent("main", "d" * 500, ("k" * 120,) * 24, "armed", "fired", "c" * 4_000)
    return Preview(
        source="path",
        origin="/home/ana/notes",
        files=tuple(FoundFile(one.path, one.path, 7, Standing.NEW) for one in left),
        conflicts=left,
        skipped=left,
        beside=Beside(intents=(intent,) * count, sessions=("s" * 500,) * count),
    )


@pytest.mark.parametrize("count", [0, 1, 5_000])
def test_the_results_of_all_jobs_that_are_kept_fit_into_a_status(count: int) -> None:
    applied = show_applied(Applied("i", count, 0, "/backup", False, found(count)))
    undone = show_undone(Undone("i", 0, 0, found(count).conflicts))
    for result in (applied, undone):
        assert 20 * len(msgspec.json.encode(result)) < Limits().result_bytes * 3 // 4
    assert applied.report.file_count == applied.report.conflict_count == applied.report.skipped_count == count
    assert undone.kept_count == count


def test_a_preview_shows_the_first_ones_and_counts_all() -> None:
    preview = show_preview(found(5_000))
    assert 0 < len(preview.files) < 200
    assert preview.files[0].path.endswith("/0.md")
    assert preview.new == 5_000
    assert preview.bytes == 35_000
    assert len(msgspec.json.encode(preview)) < Limits().result_bytes


def test_a_list_that_is_short_is_whole() -> None:
    preview = show_preview(found(2))
    assert [len(one) for one in (preview.files, preview.conflicts, preview.skipped, preview.sessions)] == [
        2
    ] * 4
