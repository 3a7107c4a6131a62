import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.errors import UnavailableError
from openclaw_memd.ports import EmbedderStatus
from openclaw_memd.recall.query_vectors import embed_query
from tests.fakes import HashEmbedder


class RetryingEmbedder(HashEmbedder):
    """A provider that is tried again and again while it fails, so that no call ends in time."""

    def status(self) -> EmbedderStatus:
        return EmbedderStatus("fake", "hash-1", None, "degraded", "it cannot be reached")


@pytest.fixture
def embedder() -> RetryingEmbedder:
    retrying = RetryingEmbedder()
    retrying.before_answer = trio.sleep_forever
    return retrying


async def test_a_required_provider_that_fails_for_longer_than_a_search_is_unavailable(
    embedder: RetryingEmbedder, autojump_clock: MockClock
) -> None:
    embedder.required = True

    with pytest.raises(UnavailableError):
        await embed_query(embedder, "word", trio.current_time() + 2)


async def test_one_that_can_be_done_without_is_late(
    embedder: RetryingEmbedder, autojump_clock: MockClock
) -> None:
    assert await embed_query(embedder, "word", trio.current_time() + 2) == "late"
