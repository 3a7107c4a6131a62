import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.models.embeddings_api import BadAnswerError, encode_request, read_vectors


def body(*vectors: object, indices: list[int] | None = None) -> bytes:
    items: list[dict[str, object]] = [{"object": "embedding", "embedding": vector} for vector in vectors]
    for item, index in zip(items, indices or [], strict=False):
        item["index"] = index
    return json.dumps({"object": "list", "data": items, "usage": {}}).encode()


def test_vectors_are_normalised_and_put_in_order() -> None:
    vectors = read_vectors(body([0, 2], [3, 4], indices=[1, 0]), 2, zeros_allowed=False)

    np.testing.assert_allclose(vectors, np.array([[0.6, 0.8], [0.0, 1.0]]), rtol=1e-6)
    assert vectors.dtype == np.float32


def test_without_indices_the_order_of_the_answer_counts() -> None:
    vectors = read_vectors(body([0, 2], [3, 0]), 2, zeros_allowed=False)

    np.testing.assert_allclose(vectors, np.array([[0.0, 1.0], [1.0, 0.0]]))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"data": []}',
        body([1.0]),
        body([1.0], [1.0], [1.0]),
        body([1.0], [1.0, 2.0]),
        body([], []),
        body("AAAA", "AAAA"),
        body([None], [1.0]),
        b'{"data": [{"embedding": [NaN]}, {"embedding": [1]}]}',
        b'{"data": [{"embedding": [1e999]}, {"embedding": [1]}]}',
        b"\xff",
    ],
)
def test_an_answer_without_the_vectors_is_refused(content: bytes) -> None:
    with pytest.raises(BadAnswerError):
        read_vectors(content, 2, zeros_allowed=True)


def test_a_vector_without_length_is_zero_for_a_passage_and_refused_for_a_query() -> None:
    content = body([0.0, 1e-30], [1.0, 0.0])

    assert not read_vectors(content, 2, zeros_allowed=True)[0].any()
    with pytest.raises(BadAnswerError):
        read_vectors(content, 2, zeros_allowed=False)


@given(st.lists(st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=3), min_size=1))
def test_whatever_numbers_come_every_row_has_norm_one_or_zero(rows: list[list[float]]) -> None:
    norms = np.linalg.norm(read_vectors(body(*rows), len(rows), zeros_allowed=True), axis=1)

    assert all(abs(norm - 1) < 1e-3 or norm == 0 for norm in norms)


def test_a_request_holds_what_is_set() -> None:
    plain = json.loads(encode_request(["a"], model="m", host="localhost", dims=None, input_type=None))
    full = json.loads(encode_request(["a"], model="m", host="h", dims=256, input_type="query"))
    voyage = json.loads(
        encode_request(["a"], model="m", host="api.voyageai.com", dims=256, input_type="document")
    )

    assert plain == {"model": "m", "input": ["a"]}
    assert full == {"model": "m", "input": ["a"], "dimensions": 256, "input_type": "query"}
    assert voyage == {"model": "m", "input": ["a"], "output_dimension": 256, "input_type": "document"}
