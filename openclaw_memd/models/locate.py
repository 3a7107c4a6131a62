"""Which local model is meant, and whether it is there."""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from openclaw_memd.models.catalog import CATALOG
from openclaw_memd.models.gguf_file import MAGIC, fingerprint
from openclaw_memd.models.recipe import Recipe, recipe_for
from openclaw_memd.models.reference import Reference, references
from openclaw_memd.ports import Calibration

NO_LIBRARY = "llama-cpp-python is not installed; run: `pip install 'openclaw-memd[local]'` (or `make model`)"
_IDENTITY_CHARS = 16

Stamp = tuple[int, int, int]
"""Size, time of change and inode of a file: another one has another stamp."""


class MissingModelError(Exception):
    """There is no local model to use; the message says what to do."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model file and how to use it. ``dims`` and ``calibration`` are known before loading or None.

    ``expected`` are vectors that it must give, where any are known. ``stamp`` is the file's when it was
    looked at, None for no file.
    """

    name: str
    path: Path
    recipe: Recipe
    model_id: str
    dims: int | None = None
    calibration: Calibration | None = None
    expected: tuple[Reference, ...] = ()
    stamp: Stamp | None = None

    @property
    def is_current(self) -> bool:
        """Whether the file is still the one that was looked at."""
        return self.stamp == stamp_of(self.path)


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of the file at ``path``; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def models_folder(data_dir: Path) -> Path:
    """Where installed models lie."""
    return data_dir / "models"


def locate_model(data_dir: Path, model: str | None) -> LocalModel:
    """The local model called ``model``: an installed name or the path of a GGUF; None takes the first
    installed one in the catalog's order.

    Reads a few megabytes of the file.

    Raises:
        MissingModelError: llama-cpp-python or the model is not there.
    """
    path = locate_gguf(data_dir, model)
    try:
        return _describe(path, is_installed=path.parent == models_folder(data_dir))
    except OSError as error:
        raise _unreadable(path, error) from None


def locate_gguf(data_dir: Path, model: str | None) -> Path:
    """The file of a local model; ``model`` and errors are as in ``locate_model``."""
    if find_spec("llama_cpp") is None:
        raise MissingModelError(NO_LIBRARY)
    path = _find_path(data_dir, model)
    try:
        with path.open("rb") as file:
            is_gguf = file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise _unreadable(path, error) from None
    if not is_gguf:
        raise MissingModelError(f"the model {path.stem} is not a GGUF file; {_remedy(path.stem)}")
    return path


def _unreadable(path: Path, error: OSError) -> MissingModelError:
    return MissingModelError(f"the model {path.stem} cannot be read: {error.strerror or 'cannot be read'}")


def _find_path(data_dir: Path, model: str | None) -> Path:
    folder = models_folder(data_dir)
    if model is None:
        for name in CATALOG:
            if (folder / f"{name}.gguf").is_file():
                return folder / f"{name}.gguf"
        raise MissingModelError("no embedding model is installed; run: `memd model install`")
    if model.endswith(".gguf") or "/" in model:
        path = Path(model)
        with suppress(OSError, RuntimeError):  # a place that may not be looked at, a home that nobody has
            path = path.expanduser()
            if path.is_file():
                return path
        raise MissingModelError(f"the model file {path.name} does not exist")
    path = folder / f"{model}.gguf"
    if not path.is_file():
        raise MissingModelError(f"the model {model} is not installed; {_remedy(model)}")
    return path


def _remedy(name: str) -> str:
    """What to do about a model of this name: only those of the catalog can be installed by name."""
    if name in CATALOG:
        return f"run: `memd model install {name}`"
    return f"install its .gguf file, or use another: {', '.join(CATALOG)} (see `memd model list`)"


def _describe(path: Path, *, is_installed: bool) -> LocalModel:
    name = path.stem
    known = CATALOG.get(name) if is_installed else None
    recipe = known.recipe if known else recipe_for(name)
    stamp = stamp_of(path)  # before the content, so that a change in between shows
    identity = sha256(f"{fingerprint(path)}\n{recipe}".encode()).hexdigest()[:_IDENTITY_CHARS]
    return LocalModel(
        name=name,
        path=path,
        recipe=recipe,
        model_id=f"local:{name}:{identity}",
        dims=known.dims if known else None,
        calibration=known.calibration if known else None,
        expected=references().get(name, ()) if known else (),
        stamp=stamp,
    )
