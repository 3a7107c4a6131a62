"""``memd sync``: make the index equal to the files now."""

from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import plain, print_json

SUMMARY = "bring the index up to date now"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--force", action="store_true", help="read every file again, changed or not")


def execute(options: Namespace) -> int:
    """Sync and tell what changed."""
    report = call(options, "index.sync", {"force": True} if options.force else {}, timeout_s=600.0)
    if options.json:
        print_json(report)
        return DONE
    if report["added"] + report["changed"] + report["unchanged"] == 0:
        agents = call(options, "status", {})["agents"]
        workspace = next(
            (one["workspace"] for one in agents if one["agent"] == (options.agent or "main")), "?"
        )
        print(f"0 files found in {plain(workspace)}")
    counts = ", ".join(
        f"{report[name]} {name}" for name in ("added", "changed", "removed", "unchanged", "skipped")
    )
    print(f"{counts} ({report['took_ms']:.0f} ms)")
    return DONE
