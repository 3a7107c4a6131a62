"""Small workspaces for tests."""

from collections.abc import Mapping
from pathlib import Path

from openclaw_memd.files.catalog import Listing
from openclaw_memd.files.listing import list_files
from openclaw_memd.files.roots import ExtraRoot, Roots
from openclaw_memd.files.rules import FileRules


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write each file below ``root``, making its folders."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def look(workspace: Path, *extra: ExtraRoot, rules: FileRules | None = None) -> Listing:
    """One listing with roots of its own."""
    with Roots(workspace, extra) as roots:
        return list_files(roots, rules or FileRules.parse())


def paths(listing: Listing) -> list[str]:
    """The listed paths."""
    return [file.path for file in listing.files]


def skips(listing: Listing) -> dict[str, str]:
    """The skipped paths and their reasons."""
    return {skip.path: str(skip.reason) for skip in listing.skipped}


def open_descriptors() -> set[str]:
    """The descriptors of this process."""
    return {path.name for path in Path("/dev/fd").iterdir()}
