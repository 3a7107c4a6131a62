from pathlib import Path

from openclaw_memd.models.inventory import list_models
from tests.models.gguf_files import gguf_bytes


def test_with_nothing_installed_it_lists_what_could_be(tmp_path: Path) -> None:
    entries = list_models(tmp_path)

    assert [entry.name for entry in entries] == ["multilingual-e5-small", "minilm"]
    assert not any(entry.installed for entry in entries)
    assert all(entry.licence and entry.size_bytes > 1_000_000 for entry in entries)


def test_installed_and_damaged_models(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "mine.gguf").write_bytes(gguf_bytes())
    (folder / "minilm.gguf").write_bytes(gguf_bytes()[:-8])

    _, minilm, mine = list_models(tmp_path)

    assert (mine.installed, mine.dims, mine.problem) == (True, 64, None)
    assert minilm.installed
    assert "8 bytes are missing" in (minilm.problem or "")
