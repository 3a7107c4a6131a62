"""What models there are: the catalog's and those that were installed from files."""

from dataclasses import dataclass
from pathlib import Path

from openclaw_memd.models.catalog import CATALOG, KnownModel
from openclaw_memd.models.folder import model_path
from openclaw_memd.models.gguf_file import GgufError, check_embedding_model
from openclaw_memd.models.locate import models_folder


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model that is installed or can be. ``problem`` says what is wrong with an installed file."""

    name: str
    title: str
    licence: str | None
    installed: bool
    size_bytes: int
    dims: int | None
    problem: str | None


def list_models(data_dir: Path) -> list[ModelEntry]:
    """The catalog's models, then the others that are installed, by name."""
    folder = models_folder(data_dir)
    entries = [_describe(known.name, model_path(folder, known.name), known) for known in CATALOG.values()]
    others = sorted(path for path in folder.glob("*.gguf") if path.stem not in CATALOG)
    return entries + [_describe(path.stem, path, None) for path in others]


def _describe(name: str, path: Path, known: KnownModel | None) -> ModelEntry:
    title, licence = (known.title, known.licence) if known else ("a GGUF of your own", None)
    size_bytes, dims = (known.gguf_bytes, known.dims) if known else (0, None)
    problem = None
    try:
        header = check_embedding_model(path)
        size_bytes, dims = header.size_bytes, header.dims
    except FileNotFoundError:
        return ModelEntry(name, title, licence, False, size_bytes, dims, None)
    except (GgufError, OSError) as error:
        problem = str(error) if isinstance(error, GgufError) else error.strerror
    return ModelEntry(name, title, licence, True, size_bytes, dims, problem)
