"""What ``status`` says of the curated files."""

from openclaw_memd.daemon.curated_status import curated_warnings
from openclaw_memd.injection.given_files import CuratedFigures


def figures(file: str, chars: int, budget: int, left_out: int = 0) -> CuratedFigures:
    return CuratedFigures(file, chars, budget, min(chars, budget), left_out, (), ())


def test_a_memory_that_is_longer_than_dreaming_makes_it_is_told_though_all_of_it_is_given() -> None:
    (warning,) = curated_warnings("main", [figures("MEMORY.md", 10_945, 12_000)])
    assert warning.startswith("MEMORY.md has 10,945 characters, 10,000 are of use")


def test_a_file_within_its_budget_is_not() -> None:
    assert not list(curated_warnings("main", [figures("MEMORY.md", 10_000, 12_000)]))
    assert not list(curated_warnings("main", [figures("USER.md", 10_945, 12_000)])), "it has no such limit"


def test_of_one_that_is_not_given_whole_that_is_told_alone() -> None:
    (warning,) = curated_warnings("main", [figures("MEMORY.md", 13_000, 12_000, left_out=1)])
    assert warning.startswith("MEMORY.md: 1 entry does not fit into the 12,000 characters")
