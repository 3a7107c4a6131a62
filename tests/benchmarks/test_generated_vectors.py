import numpy as np

from benchmarks.generated_vectors import cluster


def test_vectors_lie_around_their_anchors() -> None:
    anchors = np.eye(4, 64, dtype=np.float32)

    first, second = cluster(anchors, iter((200, 100)))

    assert (first.shape, second.shape) == ((200, 64), (100, 64))
    assert first.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1.0, atol=1e-5)
    nearest = (first @ anchors.T).max(axis=1)
    assert nearest.min() > 0.7
    assert len(set((first @ anchors.T).argmax(axis=1).tolist())) == 4


def test_the_same_seed_gives_the_same_vectors() -> None:
    anchors = np.eye(4, 64, dtype=np.float32)

    (first,), (again,) = cluster(anchors, iter((10,))), cluster(anchors, iter((10,)))

    assert np.array_equal(first, again)
