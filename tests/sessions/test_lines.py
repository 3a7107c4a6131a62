import os
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.proofs import NO_PROOF, Proof, Prover
from openclaw_memd.sessions.lines import LINE_BYTES, SLICE_BYTES, LineReader, Slice, pread
from tests.domain.strategies import patient


@contextmanager
def opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def slices(path: Path, proof: Proof = NO_PROOF, *, in_long_line: bool = False) -> list[Slice]:
    with opened(path) as descriptor:
        prover = Prover.resume(proof, pread(descriptor), whole=True)
        assert prover is not None
        reader = LineReader(descriptor, prover, path.stat().st_size, in_long_line=in_long_line)
        return list(iter(reader.next, None))


def lines(found: list[Slice]) -> list[bytes]:
    return [line for one in found for _, line in one.lines]


@given(
    st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=12), st.booleans()
)
@patient
def test_every_ended_line_is_read_once_with_its_offset(
    tmp_path_factory: pytest.TempPathFactory, written: list[bytes], ends: bool
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    data = b"\n".join(written) + (b"\n" if ends and written else b"")
    path.write_bytes(data)

    found = slices(path)

    whole = data.split(b"\n")[:-1]
    assert [line.strip() for line in lines(found)] == [
        line.removeprefix(b"\xef\xbb\xbf").strip() if number == 0 else line.strip()
        for number, line in enumerate(whole)
        if (line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line).strip()
    ]
    for one in found:
        for offset, line in one.lines:
            mark = b"\xef\xbb\xbf" if offset == 0 else b""
            assert data[offset:].removeprefix(mark).startswith(line)
    if found:
        assert found[-1].proof.offset == len(data) - len(data.split(b"\n")[-1])


def test_a_last_line_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo")
    first = slices(path)
    path.write_bytes(b"one\ntwo three\r\n\r\n")
    second = slices(path, first[-1].proof)

    assert lines(first) == [b"one"]
    assert lines(second) == [b"two three"]
    assert slices(path, second[-1].proof) == []


def test_slices_end_between_lines_and_any_of_them_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    written = [b"%d " % number + b"x" * 900 for number in range(4000)]
    path.write_bytes(b"\n".join(written) + b"\n")

    found = slices(path)

    assert len(found) > 3
    assert lines(found) == written
    for number, one in enumerate(found):
        assert lines(slices(path, one.proof)) == lines(found[number + 1 :])


@pytest.mark.parametrize("before", [b"", b"short\n", b"short\n" * 300_000])
def test_a_line_that_is_too_long_is_left_out_and_counted(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(before + b"x" * (LINE_BYTES + 1) + b"\nafter\n" + b"y" * LINE_BYTES + b"\nend\n")

    found = slices(path)

    assert sum(one.too_long for one in found) == 1
    assert [line[:5] for line in lines(found)[-3:]] == [b"after", b"yyyyy", b"end"]
    assert len(lines(found)) == before.count(b"\n") + 3


def test_a_line_without_end_is_left_in_the_middle_and_resumed_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\n" + b"x" * (5 * LINE_BYTES))

    first = slices(path)
    assert first[-1].in_long_line
    assert first[-1].proof.offset == path.stat().st_size
    assert slices(path, first[-1].proof, in_long_line=True) == []

    with path.open("ab") as file:
        file.write(b"tail\ntwo\n")
    second = slices(path, first[-1].proof, in_long_line=True)

    assert lines(first) == [b"one"]
    assert lines(second) == [b"two"]
    assert [one.too_long for one in second] == [1]


def test_memory_is_bounded_whatever_the_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        for number in range(48):
            file.write((b"x" * (1 << 20)) + (b"\n" if number in (0, 1, 40) else b""))
    with opened(path) as descriptor:
        reader = LineReader(descriptor, Prover(), path.stat().st_size, in_long_line=False)
        tracemalloc.start()
        while reader.next() is not None:
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert peak < 2 * LINE_BYTES + 4 * SLICE_BYTES


def test_a_file_that_shrinks_while_it_is_read_ends_early(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"line\n" * 400_000)
    with opened(path) as descriptor:
        reader = LineReader(descriptor, Prover(), path.stat().st_size, in_long_line=False)
        first = reader.next()
        os.truncate(path, 10)
        assert first is not None
        assert reader.next() is None
