import numpy as np
import pytest

from openclaw_memd.models.catalog import CATALOG, DEFAULT_MODEL, KnownModel
from openclaw_memd.models.folder import is_model_name
from openclaw_memd.models.reference import references


def test_the_default_is_in_the_catalog_and_comes_first() -> None:
    assert next(iter(CATALOG)) == DEFAULT_MODEL


@pytest.mark.parametrize("known", CATALOG.values(), ids=lambda known: known.name)
def test_every_model_is_described_whole(known: KnownModel) -> None:
    hashes = [known.package.sha256, *(member.sha256 for member in known.package.members)]

    assert is_model_name(known.name)
    assert all(len(bytes.fromhex(digest)) == 32 for digest in hashes)
    assert known.calibration.floor < known.calibration.ceiling
    assert 0 < known.calibration.weight <= 0.7


@pytest.mark.parametrize("known", CATALOG.values(), ids=lambda known: known.name)
def test_every_model_has_whole_reference_vectors(known: KnownModel) -> None:
    expected = references()[known.name]

    assert len(expected) >= 4
    for reference in expected:
        assert reference.row().shape == (known.dims,)
        assert np.linalg.norm(reference.row()) == pytest.approx(1.0, abs=1e-3)
