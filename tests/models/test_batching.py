from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.models.batching import Pace, pack


@given(st.lists(st.text(max_size=20), min_size=1), st.integers(1, 5), st.integers(1, 40))
def test_a_batch_is_the_longest_start_that_fits(texts: list[str], most_texts: int, most_bytes: int) -> None:
    batch = pack(texts, most_texts=most_texts, most_bytes=most_bytes)

    assert batch == texts[: len(batch)]
    assert 1 <= len(batch) <= most_texts
    assert len(batch) == 1 or sum(len(text.encode()) for text in batch) <= most_bytes
    more = texts[: len(batch) + 1]
    full = len(batch) == min(most_texts, len(texts))
    assert full or sum(len(text.encode()) for text in more) > most_bytes


@given(st.floats(10, 1e6), st.lists(st.integers(1, 3000), min_size=30, max_size=40))
def test_a_batch_takes_the_time_that_it_should(bytes_per_s: float, sizes: list[int]) -> None:
    pace = Pace(goal_s=0.15, least_bytes=200, most_bytes=1600)
    assert pace.batch_bytes == 200  # nothing is known yet, and a query may come
    for size in sizes:
        pace.note(["x" * size], size / bytes_per_s)
        assert 200 <= pace.batch_bytes <= 1600
    assert abs(pace.batch_bytes - min(1600, max(200, bytes_per_s * 0.15))) <= 1


def test_a_machine_that_slows_down_gets_smaller_batches() -> None:
    pace = Pace(goal_s=0.15, least_bytes=200, most_bytes=1600)
    pace.note(["x" * 1000], 0.1)
    assert pace.batch_bytes == 1500
    for _ in range(10):
        pace.note(["x" * 1000], 1.0)
    assert pace.batch_bytes < 250
    pace.note(["x"], 0.0)  # a clock that stands still says nothing
    assert pace.batch_bytes < 250
