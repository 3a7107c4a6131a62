from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.models.batching import pack


@given(st.lists(st.text(max_size=20), min_size=1), st.integers(1, 5), st.integers(1, 40))
def test_a_batch_is_the_longest_start_that_fits(texts: list[str], most_texts: int, most_bytes: int) -> None:
    batch = pack(texts, most_texts=most_texts, most_bytes=most_bytes)

    assert batch == texts[: len(batch)]
    assert 1 <= len(batch) <= most_texts
    assert len(batch) == 1 or sum(len(text.encode()) for text in batch) <= most_bytes
    more = texts[: len(batch) + 1]
    full = len(batch) == min(most_texts, len(texts))
    assert full or sum(len(text.encode()) for text in more) > most_bytes
