from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.proofs import BLOCK_BYTES, Proof, Prover, ReadBytes
from tests.domain.strategies import patient

SIZES = [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES, 5 * BLOCK_BYTES + 77]


def content(size: int) -> bytes:
    blocks = b"".join(sha256(str(number).encode()).digest() for number in range(size // 32 + 1))
    return blocks[:size]


def reader(data: bytes) -> ReadBytes:
    return lambda offset, length: data[offset : offset + length]


def proof_of(data: bytes) -> Proof:
    prover = Prover()
    prover.feed(data)
    return prover.proof()


@given(st.sampled_from(SIZES), st.lists(st.integers(1, 2 * BLOCK_BYTES), max_size=6))
@patient
def test_a_proof_does_not_depend_on_the_pieces_it_was_fed(size: int, cuts: list[int]) -> None:
    data = content(size)
    prover, offset = Prover(), 0
    for cut in cuts:
        prover.feed(data[offset : offset + cut])
        offset = min(size, offset + cut)
        resumed = Prover.resume(prover.proof(), reader(data), whole=True)
        assert resumed is not None
        prover = resumed
    prover.feed(memoryview(data)[offset:])

    assert prover.proof() == proof_of(data)
    assert prover.offset == size


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("whole", [False, True])
def test_a_file_that_only_grew_is_proven(size: int, whole: bool) -> None:
    data = content(size)

    resumed = Prover.resume(proof_of(data), reader(data + b"more"), whole=whole)

    assert resumed is not None
    assert resumed.proof() == proof_of(data)


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_file_that_shrank_is_not(size: int) -> None:
    data = content(size)

    assert Prover.resume(proof_of(data), reader(data[:-1]), whole=False) is None
    assert Prover.resume(proof_of(data), reader(b""), whole=False) is None


@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("place", [0.0, 0.3, 0.5, 0.9999])
def test_a_change_anywhere_is_seen_when_the_whole_is_compared(size: int, place: float) -> None:
    data = bytearray(content(size))
    proof = proof_of(bytes(data))
    data[int(place * size)] ^= 1

    assert Prover.resume(proof, reader(bytes(data)), whole=True) is None


def test_a_change_at_either_end_is_seen_by_three_blocks_alone() -> None:
    data = content(9 * BLOCK_BYTES + 5)
    read: list[int] = []

    def count(offset: int, length: int) -> bytes:
        read.append(length)
        return data[offset : offset + length]

    assert Prover.resume(proof_of(data), count, whole=False) is not None
    assert sum(read) <= 3 * BLOCK_BYTES
    for place in (0, BLOCK_BYTES - 1, 8 * BLOCK_BYTES, len(data) - 1):
        changed = bytearray(data)
        changed[place] ^= 1
        assert Prover.resume(proof_of(data), reader(bytes(changed)), whole=False) is None
