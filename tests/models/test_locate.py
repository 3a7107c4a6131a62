from pathlib import Path

import pytest

from openclaw_memd.models import locate
from openclaw_memd.models.catalog import CATALOG
from openclaw_memd.models.locate import MissingModelError, locate_model
from tests.models.gguf_files import gguf_bytes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(locate, "find_spec", lambda _name: object())
    made = tmp_path / "models"
    made.mkdir()
    return made


def test_without_the_library_it_says_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "find_spec", lambda _name: None)

    with pytest.raises(MissingModelError, match=r"pip install 'openclaw-memd\[local\]'"):
        locate_model(tmp_path, None)


def test_without_a_model_it_says_what_to_type(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(MissingModelError, match=r"run: `memd model install`$"):
        locate_model(tmp_path, None)
    with pytest.raises(MissingModelError, match=r"run: `memd model install minilm`$"):
        locate_model(tmp_path, "minilm")


def test_no_remedy_is_named_that_is_none(tmp_path: Path, folder: Path) -> None:
    """Only a model of the catalog is installed by its name, and only that one is missing then."""
    (folder / "minilm.gguf").write_bytes(b"PK")
    other = tmp_path / "mine.gguf"
    other.write_bytes(b"PK")

    with pytest.raises(MissingModelError, match=r"run: `memd model install minilm`$"):
        locate_model(tmp_path, "minilm")
    for model in ("unheard-of", str(other)):
        with pytest.raises(MissingModelError, match=r"use another: .*minilm \(see `memd model list`\)$"):
            locate_model(tmp_path, model)


def test_the_better_model_is_taken_when_none_is_named(tmp_path: Path, folder: Path) -> None:
    (folder / "minilm.gguf").write_bytes(gguf_bytes())
    assert locate_model(tmp_path, None).name == "minilm"

    (folder / "multilingual-e5-small.gguf").write_bytes(gguf_bytes())
    found = locate_model(tmp_path, None)

    known = CATALOG["multilingual-e5-small"]
    assert (found.name, found.recipe, found.calibration) == (known.name, known.recipe, known.calibration)
    assert found.dims == known.dims


def test_a_file_by_its_path_has_no_calibration_and_its_family_s_recipe(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "nomic-embed-text-v1.5.gguf"
    path.write_bytes(gguf_bytes())

    found = locate_model(tmp_path, str(path))

    assert found.path == path
    assert found.calibration is None
    assert found.recipe.query_prefix == "search_query: "


def test_an_outside_file_does_not_pass_for_a_known_model(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "minilm.gguf"
    path.write_bytes(gguf_bytes())

    assert locate_model(tmp_path, str(path)).calibration is None


def test_other_weights_or_another_recipe_are_another_identity(tmp_path: Path, folder: Path) -> None:
    identities = set()
    for name, content in (
        ("mine", gguf_bytes()),
        ("mine", gguf_bytes(weights=b"x" * 256)),
        ("mine-e5", gguf_bytes()),
    ):
        (folder / f"{name}.gguf").write_bytes(content)
        identities.add(locate_model(tmp_path, name).model_id)

    assert len(identities) == 3


def test_what_cannot_be_used_is_named_without_its_place(tmp_path: Path, folder: Path) -> None:
    (folder / "mine.gguf").write_bytes(b"not a model")
    (folder / "folder.gguf").mkdir()

    for model in ("mine", "folder", str(tmp_path / "gone.gguf"), str(folder / "folder.gguf")):
        with pytest.raises(MissingModelError) as caught:
            locate_model(tmp_path, model)
        assert str(tmp_path) not in str(caught.value)
