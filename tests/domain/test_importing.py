"""Deciding what an import does."""

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.importing import Candidate, ImportReason, Plan, Standing, fold_path, split_twins

NAMES = st.sampled_from(["a", "A", "b", "caf\u00e9", "cafe\u0301", "CAF\u00c9", "x.md", "X.md"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@given(st.lists(PATHS, max_size=12))
def test_every_path_is_kept_once_or_a_twin(paths: list[str]) -> None:
    kept, twins = split_twins(paths)
    assert sorted(kept + twins) == sorted(paths)
    assert len(kept) == len(set(kept))


@given(st.lists(PATHS, max_size=12))
def test_what_is_kept_can_stand_on_every_file_system(paths: list[str]) -> None:
    kept, _ = split_twins(paths)
    heads = {path.rsplit("/", count)[0] for path in kept for count in range(path.count("/") + 1)}
    assert len({fold_path(head) for head in heads}) == len(heads)


def test_a_file_stands_by_what_has_its_place() -> None:
    def standing(present: bytes | None, *, replace: bool) -> Standing:
        return Candidate("t", "s", b"new", 1, present).standing(replace=replace)

    assert standing(None, replace=False) is Standing.NEW
    assert standing(b"new", replace=True) is Standing.UNCHANGED
    assert standing(b"old", replace=False) is Standing.CONFLICT
    assert standing(b"old", replace=True) is Standing.REPLACE


def test_only_new_and_replaced_files_are_written() -> None:
    candidates = [
        Candidate(str(number), "s", b"new", 1, present)
        for number, present in enumerate((None, b"new", b"old"))
    ]
    assert [one.target for one in Plan(candidates, replace=False).to_write] == ["0"]
    assert [one.target for one in Plan(candidates, replace=True).to_write] == ["0", "2"]


def test_every_reason_is_explained() -> None:
    for reason in ImportReason:
        assert reason.description.endswith(".")
