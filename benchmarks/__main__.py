"""Measure everything and show it in one table.

Without a conversation file of LoCoMo's shape the load corpus is generated from words of no language, and
what needs judged questions is left out.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from benchmarks import freshness, index_speed, intents, judged, memory, round_trip, search_load, startup, turn
from benchmarks.material import load_material
from benchmarks.model import NoModel, find_model
from benchmarks.progress import ProgressLine
from benchmarks.report import Finding, Skipped, to_json, to_table
from benchmarks.run import Options, Run
from benchmarks.workspaces import Workspaces
from openclaw_memd.version import VERSION

SIZES = (10_000, 100_000)
QUICK_SIZES = (10_000,)
LEAST_SIZE = 1_000

BENCHMARKS: Mapping[str, Callable[[Run], Iterable[Finding]]] = {
    "round_trip": round_trip.measure,
    "index_speed": index_speed.measure,
    "search_load": search_load.measure,
    "startup": startup.measure,
    "memory": memory.measure,
    "freshness": freshness.measure,
    "turn": turn.measure,
    "intents": intents.measure,
    "retrieval": judged.measure_conversations,
    "deep": judged.measure_deep,
    "multilingual": judged.measure_languages,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; 1 when a benchmark could not be run."""
    args = parse_arguments(arguments)
    options = Options(args.locomo, args.multilingual, args.sizes, args.quick, args.cache)
    report = describe_run(options)
    progress = ProgressLine()
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
        model = find_model()
        run = Run(options, Workspaces(Path(folder), load_material(options.locomo), progress), progress, model)
        findings = [finding for name in args.only for finding in measure(name, run)]
    if isinstance(model, NoModel):
        findings.append(Skipped("whatever needs vectors", model.reason))
    progress.clear()
    print(to_table(findings))
    if args.json:
        report |= {"took_s": round(progress.elapsed_s), "findings": to_json(findings)}
        args.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(isinstance(finding, Skipped) and finding.failed for finding in findings))


def measure(name: str, run: Run) -> Iterator[Finding]:
    """What one benchmark finds; when it fails the others are to go on."""
    run.progress.say(name)
    try:
        yield from BENCHMARKS[name](run)
    except Exception as error:
        run.progress.clear()
        traceback.print_exc()
        first_line = str(error).partition("\n")[0]
        yield Skipped(name, f"{type(error).__name__}: {first_line}", failed=True)


def describe_run(options: Options) -> dict[str, Any]:
    """What to know about the machine and the choices when numbers are compared."""
    return {
        "version": VERSION,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "processors": os.cpu_count(),
        "load_before": os.getloadavg()[0],
        "material": options.locomo.name if options.locomo else "generated",
        "sizes": options.sizes,
        "quick": options.quick,
    }


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line; it ends the process when it makes no sense."""
    description, _, epilog = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=description, epilog=epilog)
    parser.add_argument("--locomo", type=Path, help="a file of LoCoMo's shape: questions, answers, evidence")
    parser.add_argument("--multilingual", type=Path, help="a file of pages and queries by language")
    parser.add_argument("--sizes", type=_split_sizes, help="sizes of the load corpus, in chunks")
    parser.add_argument("--only", type=_split_names, default=tuple(BENCHMARKS), help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--cache", type=Path, help="a file that keeps what was embedded for the next run")
    parser.add_argument("--json", type=Path, help="write the findings here, too")
    args = parser.parse_args(arguments)
    args.sizes = args.sizes or (QUICK_SIZES if args.quick else SIZES)
    return args


def _split_sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(sorted(int(size) for size in text.split(",")))
    if sizes[0] < LEAST_SIZE:
        raise argparse.ArgumentTypeError(f"the least size is {LEAST_SIZE} chunks")
    return sizes


def _split_names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in BENCHMARKS:
            raise argparse.ArgumentTypeError(f"no benchmark {name}; there are {', '.join(BENCHMARKS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
