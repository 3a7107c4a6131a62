import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from openclaw_memd.index.line_vectors import Vectors, decode_lines, encode_lines

matrices = arrays.arrays(
    np.float32,
    st.tuples(st.integers(0, 6), st.integers(0, 9)),
    elements=st.floats(-8.0, 8.0, width=32),
)


@given(matrices)
def test_decoding_gives_back_every_value_up_to_half_a_step(vectors: Vectors) -> None:
    decoded = decode_lines(encode_lines(vectors))

    steps = np.abs(vectors).max(axis=1, initial=0.0) / 127
    assert decoded.shape == vectors.shape
    assert decoded.dtype == np.float32
    assert (np.abs(decoded - vectors) <= steps[:, None] * 0.5001 + 1e-35).all()


@given(matrices)
def test_packing_what_was_packed_changes_no_step(vectors: Vectors) -> None:
    once = decode_lines(encode_lines(vectors))
    twice = decode_lines(encode_lines(once))

    np.testing.assert_allclose(twice, once, rtol=1e-6)


def test_a_line_without_a_vector_stays_without() -> None:
    vectors = np.array([[0.0, 0.0], [0.6, 0.8]], dtype=np.float32)

    assert decode_lines(encode_lines(vectors))[0].tolist() == [0.0, 0.0]


def test_takes_a_byte_a_value_and_four_a_line() -> None:
    assert len(encode_lines(np.ones((3, 384), dtype=np.float32))) == 8 + 3 * (4 + 384)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        encode_lines(np.array([[1.0, value]], dtype=np.float32))


@given(st.binary(max_size=60))
def test_bytes_of_other_making_are_refused_or_decode_to_finite_values(blob: bytes) -> None:
    try:
        vectors = decode_lines(blob)
    except ValueError:
        return
    assert vectors.ndim == 2
    assert np.isfinite(vectors).all()


def test_a_cut_blob_is_refused() -> None:
    blob = encode_lines(np.ones((2, 4), dtype=np.float32))

    for length in range(len(blob)):
        with pytest.raises(ValueError, match="line vector blob"):
            decode_lines(blob[:length])
