import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.index.matrix import Matrix
from tests.index.vectors import clustered_vectors, exact_top, key, keys, unit_vectors

DIMS = 16


def filled(count: int, *, dims: int = DIMS, exact_rows: int = 1_000) -> Matrix:
    matrix = Matrix(dims, exact_rows=exact_rows)
    matrix.add(keys(count), unit_vectors(count, dims))
    return matrix


def test_finds_the_nearest_rows_with_their_cosines_nearest_first() -> None:
    vectors, hashes = unit_vectors(300, DIMS), keys(300)
    query = unit_vectors(1, DIMS, seed=9)[0]

    found = filled(300).top(query, 10)

    assert [text_hash for text_hash, _ in found] == exact_top(vectors, hashes, query, 10)
    for text_hash, cosine in found:
        assert cosine == pytest.approx(float(vectors[hashes.index(text_hash)] @ query), abs=1e-6)


def test_asking_for_more_than_there_is_gives_all() -> None:
    assert len(filled(3).top(unit_vectors(1, DIMS)[0], 10)) == 3


@pytest.mark.parametrize("k", [0, -1])
def test_asking_for_nothing_gives_nothing(k: int) -> None:
    assert filled(3).top(unit_vectors(1, DIMS)[0], k) == []


def test_an_empty_matrix_finds_nothing() -> None:
    assert Matrix(DIMS).top(unit_vectors(1, DIMS)[0], 5) == []


@pytest.mark.parametrize("chosen", [5, 200])
def test_a_filter_is_applied_before_the_best_are_taken(chosen: int) -> None:
    vectors, hashes = unit_vectors(300, DIMS), keys(300)
    query = unit_vectors(1, DIMS, seed=9)[0]

    found = filled(300).top(query, 4, among={*hashes[:chosen], key("unknown")})

    assert [text_hash for text_hash, _ in found] == exact_top(vectors[:chosen], hashes[:chosen], query, 4)


def test_a_row_that_is_there_already_keeps_its_vector() -> None:
    matrix = filled(2)
    matrix.add(keys(2), unit_vectors(2, DIMS, seed=5))

    assert len(matrix) == 2
    [(text_hash, cosine)] = matrix.top(unit_vectors(2, DIMS)[1], 1)
    assert text_hash == keys(2)[1]
    assert cosine == pytest.approx(1.0)


def test_a_cosine_does_not_depend_on_where_its_row_lies() -> None:
    vectors, hashes = unit_vectors(101, DIMS), keys(101)
    query = unit_vectors(1, DIMS, seed=9)[0]
    forward, backward = Matrix(DIMS), Matrix(DIMS)
    forward.add(hashes, vectors)
    backward.add(hashes[::-1], vectors[::-1])

    assert forward.top(query, 20) == backward.top(query, 20)


def test_equal_vectors_come_in_the_order_of_their_hashes() -> None:
    vector = unit_vectors(1, DIMS)
    matrix = Matrix(DIMS)
    matrix.add(keys(5), np.repeat(vector, 5, axis=0))

    assert [text_hash for text_hash, _ in matrix.top(vector[0], 5)] == sorted(keys(5))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.integers(0, 25), max_size=8, unique=True)),
        max_size=25,
    ),
    st.sampled_from([6, 1_000]),
)
def test_any_order_of_additions_and_removals_leaves_what_is_left(
    steps: list[tuple[bool, list[int]]], exact_rows: int
) -> None:
    vectors, hashes = unit_vectors(26, DIMS), keys(26)
    matrix = Matrix(DIMS, capacity=2, exact_rows=exact_rows)
    left: set[int] = set()
    for is_addition, rows in steps:
        if is_addition:
            matrix.add([hashes[row] for row in rows], vectors[rows])
            left.update(rows)
        else:
            for row in rows:
                matrix.remove(hashes[row])
            left.difference_update(rows)

    assert len(matrix) == len(left)
    for row in range(26):
        assert (hashes[row] in matrix) == (row in left)
    found = matrix.top(vectors[0], 26)
    assert {text_hash for text_hash, _ in found} == {hashes[row] for row in left}
    for text_hash, cosine in found:
        assert cosine == pytest.approx(float(vectors[hashes.index(text_hash)] @ vectors[0]), abs=1e-6)


def refuse(*_: object) -> None:
    raise AssertionError("every row was compared")


@pytest.mark.parametrize("offset", [0.0, 2.0], ids=["about zero", "in a narrow cone"])
@pytest.mark.parametrize("dims", [128, 136], ids=["whole words", "padded words"])
def test_sign_bits_find_what_comparing_everything_finds(
    offset: float, dims: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, queries = 30_000, 40
    vectors, hashes = clustered_vectors(rows + queries, dims, clusters=300, offset=offset), keys(rows)
    matrix = Matrix(dims, exact_rows=5_000)
    for start in range(0, rows, 10_000):  # bits are made when the matrix has grown, and follow from there
        matrix.add(hashes[start : start + 10_000], vectors[start : start + 10_000])
    monkeypatch.setattr(matrix, "_score_all", refuse)

    found = [{text_hash for text_hash, _ in matrix.top(query, 10)} for query in vectors[rows:]]

    wanted = [set(exact_top(vectors[:rows], hashes, query, 10)) for query in vectors[rows:]]
    hits = sum(len(a & b) for a, b in zip(found, wanted, strict=True))
    assert hits >= 0.99 * 10 * queries


def test_texts_without_any_structure_are_compared_one_and_all() -> None:
    vectors, hashes = unit_vectors(20_000, 64), keys(20_000)
    query = unit_vectors(1, 64, seed=9)[0]
    matrix = Matrix(64, exact_rows=5_000)
    matrix.add(hashes, vectors)

    found = matrix.top(query, 50)

    assert [text_hash for text_hash, _ in found] == exact_top(vectors, hashes, query, 50)


@pytest.mark.parametrize("chosen", [20, 9_000])
def test_a_filter_over_many_rows_is_exact(chosen: int) -> None:
    vectors, hashes = clustered_vectors(10_000, 64, clusters=40, offset=1.0), keys(10_000)
    matrix = Matrix(64, exact_rows=5_000)
    matrix.add(hashes, vectors)
    query = vectors[-1]  # its own cluster is not among the first rows only

    found = matrix.top(query, 10, among=set(hashes[:chosen]))

    assert [text_hash for text_hash, _ in found] == exact_top(vectors[:chosen], hashes[:chosen], query, 10)


def test_sign_bits_follow_a_row_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, hashes = clustered_vectors(30_000, 128, clusters=300, offset=1.0), keys(30_000)
    matrix = Matrix(128, exact_rows=4_000)
    matrix.add(hashes, vectors)
    for text_hash in hashes[:1_000]:
        matrix.remove(text_hash)
    monkeypatch.setattr(matrix, "_score_all", refuse)

    for row in (29_999, 29_001, 1_000):
        [(text_hash, cosine)] = matrix.top(vectors[row], 1)
        assert text_hash == hashes[row]
        assert cosine == pytest.approx(1.0)
