"""Which project a Git remote names: every way to write one address gives one key. Pure."""

import re
from typing import Final
from urllib.parse import unquote

from openclaw_memd.domain.project_keys import is_project_key

PATH_PREFIX: Final = "path:"

_WITH_SCHEME: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_SCP_LIKE: Final = re.compile(
    r"(?:[^@/:]+@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^@/:\[\]]+):(?P<path>.+)", re.DOTALL
)
_AUTHORITY: Final = re.compile(r"(?:.*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^@:/\[\]]+)(?::[0-9]*)?", re.DOTALL)
_SCHEMES: Final = frozenset({"ssh", "git", "http", "https", "ftp", "ftps", "git+ssh", "ssh+git", "git+https"})
_HELPER: Final = re.compile(r"[A-Za-z0-9+.-]+::")  # gitremote-helpers(7): ext::command
_WINDOWS_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f]")
_DOT_GIT: Final = ".git"


def remote_key(url: str) -> str | None:
    """``host/owner/repo`` of a remote's address, or ``path:`` and the path of one on this machine.

    Credentials, ports, ``.git``, slashes at the end and the case of the host make no difference. What
    ``url.<base>.insteadOf`` would make of it is not asked: a mirror on one machine makes no other project.
    None for what is no address, and for a relative path, which says nothing without its place.
    """
    url = url.strip()
    if not url or _UNFIT.search(url):
        return None
    if match := _WITH_SCHEME.fullmatch(url):
        scheme, rest = match["scheme"].lower(), match["rest"]
        return _file_key(rest) if scheme == "file" else _network_key(scheme, rest)
    if url.startswith("/"):
        return _local_key(url)
    scp = None if _WINDOWS_DRIVE.match(url) or _HELPER.match(url) else _SCP_LIKE.fullmatch(url)
    return None if scp is None else _host_key(scp["host"], scp["path"])


def path_key(root: str) -> str:
    """The key of a project that has no remote: the absolute path of its folder."""
    return PATH_PREFIX + root


def _network_key(scheme: str, rest: str) -> str | None:
    authority, _, path = rest.partition("/")
    host = _AUTHORITY.fullmatch(authority)
    if scheme not in _SCHEMES or host is None:
        return None
    return _host_key(host["host"], unquote(path.partition("?")[0].partition("#")[0]))


def _host_key(host: str, path: str) -> str | None:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and parts[0] == "~":
        del parts[0]
    bare = _bare("/".join(parts))
    if not bare or ".." in parts or _UNFIT.search(bare):
        return None
    key = f"{host.lower()}/{bare}"
    return key if is_project_key(key) else None


def _file_key(rest: str) -> str | None:
    """The key of a ``file://`` address; a host other than this machine is one like any other."""
    host, slash, path = rest.partition("/")
    if not slash:
        return None
    if host and host.lower() != "localhost":
        return _host_key(host, unquote(path))
    return _local_key("/" + unquote(path))


def _local_key(path: str) -> str | None:
    bare = _bare(path)
    return path_key(bare) if bare and not _UNFIT.search(bare) else None


def _bare(path: str) -> str:
    """``path`` without slashes and ``.git`` at its end."""
    path = path.rstrip("/")
    if path.endswith(_DOT_GIT):
        path = path.removesuffix(_DOT_GIT).rstrip("/")
    return path
