import pytest

from tests.contracts import EmbedderContract
from tests.fakes import HashEmbedder


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashEmbedder:
        return HashEmbedder()
