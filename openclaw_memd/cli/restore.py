"""``memd restore``: bring an archive back. It needs no daemon."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.exits import DONE, FAILED, LOCKED, CliError
from openclaw_memd.cli.output import amount, plain_line, print_json

if TYPE_CHECKING:
    from openclaw_memd.ops.backup.restoring import Restored

SUMMARY = "bring an archive back into a folder"

_STEPS = {"verify": "Verifying", "unpack": "Unpacking"}


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("archive", metavar="ARCHIVE", help="as `memd backup` made it")
    parser.add_argument("--to", metavar="DIR", help="the folder to make; what is there is kept aside")


def execute(options: Namespace) -> int:
    """Bring it back and tell how to use it."""
    if options.to is None:
        raise UsageError("name the folder to make: --to DIR")
    restored = _restore(Path(options.archive), Path(options.to).expanduser(), options)
    if options.json:
        print_json(_describe(restored))
    else:
        _show(restored)
    return DONE


def _restore(archive: Path, to: Path, options: Namespace) -> "Restored":
    import sys
    from datetime import UTC, datetime

    from openclaw_memd.errors import ConflictError
    from openclaw_memd.ops.backup.manifest import ArchiveError
    from openclaw_memd.ops.backup.restoring import RestoreError, restore_archive

    def tell(step: str) -> None:
        if step in _STEPS and not options.json:
            print(f"{_STEPS[step]} ...", file=sys.stderr, flush=True)

    try:
        return restore_archive(archive, to, now=datetime.now(UTC), on_step=tell)
    except ArchiveError as error:
        raise CliError(f"{plain_line(str(archive))} cannot be used: {error}; nothing was changed") from None
    except RestoreError as error:
        raise CliError(f"{plain_line(str(to))}: {error}; nothing was changed") from None
    except ConflictError as error:
        raise CliError(f"{plain_line(str(to))}: {error.message}; nothing was changed", LOCKED) from None
    except OSError as error:
        where = plain_line(str(error.filename or archive))
        raise CliError(f"{where}: {error.strerror or error}; nothing was changed", FAILED) from None


def _describe(restored: "Restored") -> dict[str, Any]:
    manifest = restored.manifest
    return {
        "folder": str(restored.folder),
        "kept_aside": None if restored.kept_aside is None else str(restored.kept_aside),
        "made_at": manifest.made_at,
        "memd": manifest.memd,
        "files": manifest.files,
        "bytes": manifest.bytes,
        "state_dir": str(restored.state_dir),
        "workspaces": [
            {"agents": list(one.agents), "workspace": str(restored.workspace(one))}
            for one in manifest.workspaces
        ],
        "untied": list(restored.untied),
        "config": _config(restored),
    }


def _config(restored: "Restored") -> str:
    """The lines of the configuration that use what was brought back."""
    import json

    def quoted(text: str) -> str:  # a basic string of TOML may be written like one of JSON
        return json.dumps(text, ensure_ascii=False)

    lines = ["[paths]", f"state_dir = {quoted(str(restored.state_dir))}"]
    for one in restored.manifest.workspaces:
        for agent in one.agents:
            name = agent if agent.replace("-", "").replace("_", "").isalnum() else quoted(agent)
            lines += ["", f"[agents.{name}]", f"workspace = {quoted(str(restored.workspace(one)))}"]
    return "\n".join(lines) + "\n"


def _show(restored: "Restored") -> None:
    import shlex

    manifest = restored.manifest
    print(
        f"{amount(manifest.files, 'file')} of {amount(len(manifest.workspaces), 'workspace')}"
        f" as of {manifest.made_at} are in {plain_line(str(restored.folder))}"
    )
    if restored.kept_aside is not None:
        print(f"what was there is kept in {plain_line(str(restored.kept_aside))}")
    for name in restored.untied:
        print(f"{name}: memory is no folder there, so a daemon will not find who wrote what")
    if manifest.left_out:
        print(f"{amount(len(manifest.left_out), 'path')} were left out when it was made")
    first = manifest.workspaces[0]
    if len(manifest.workspaces) == 1 and first.agents == ("main",):
        state, workspace = shlex.quote(str(restored.state_dir)), shlex.quote(str(restored.workspace(first)))
        print("\nto use it now, also where you ask the daemon:\n")
        print(f"  export MEMD_STATE_DIR={state}\n  memd run --workspace {workspace}")
    print("\nto use it from now on, in the configuration:\n")
    print("".join(f"  {line}\n" if line else "\n" for line in _config(restored).splitlines()), end="")
