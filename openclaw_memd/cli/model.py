"""``memd model``: install, list and try embedding models; needs no daemon."""

import os
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, USAGE, CliError
from openclaw_memd.cli.output import Progress, plain, print_json, size

if TYPE_CHECKING:
    from openclaw_memd.config.schema import Config

SUMMARY = "install, list or try embedding models"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", choices=["install", "list", "test"])
    parser.add_argument("model", nargs="?", help="a known name, a .gguf file, or an https address of one")
    parser.add_argument("--name", help="install: what to call a model from a file or an address")
    parser.add_argument("--sha256", metavar="HEX", help="install: what an address must hold")
    parser.add_argument("--force", action="store_true", help="install: even if it is there already")


def execute(options: Namespace) -> int:
    """Do what was asked, in this process."""
    from openclaw_memd.config import paths
    from openclaw_memd.config.keys import ConfigError
    from openclaw_memd.config.load import load_config

    try:
        config = load_config(file=options.config)
    except ConfigError as error:
        raise CliError(str(error), BAD_CONFIG) from None
    data_dir = paths.data_dir(os.environ, config.paths.data_dir or None)
    if options.action != "list":
        from openclaw_memd.logs import configure_logging

        configure_logging("error", "auto")  # what goes wrong is told once, as the command's own error
    match options.action:
        case "install":
            return _install(options, data_dir)
        case "list":
            return _list(options, data_dir)
        case _:
            return _test(options, config, data_dir)


def _install(options: Namespace, data_dir: Path) -> int:
    from openclaw_memd.models.catalog import MULTILINGUAL_E5_SMALL
    from openclaw_memd.models.install import InstallError, UnknownModelError, install_model

    shown: dict[str, Progress] = {}

    def report(step: str, done: int, total: int | None) -> None:
        if step not in shown:
            for earlier in shown.values():
                earlier.finish()
            shown[step] = Progress(step.capitalize())
        shown[step].show(done, total, "B")

    try:
        done = install_model(
            data_dir,
            options.model or MULTILINGUAL_E5_SMALL.name,
            progress=report,
            name=options.name,
            sha256=options.sha256,
            force=options.force,
        )
    except UnknownModelError as error:
        raise CliError(str(error), USAGE) from None
    except InstallError as error:
        raise CliError(str(error), FAILED) from None
    finally:
        for progress in shown.values():
            progress.finish()
    if options.json:
        print_json(asdict(done) | {"path": str(done.path)})
    elif done.changed:
        checked = ", vectors checked" if done.checked else ", not tried: llama-cpp-python is not installed"
        print(
            f"{done.name} is installed ({size(done.size_bytes)}{checked}); "
            "a running daemon takes it up by itself"
        )
    else:
        print(f"{done.name} is installed already" + (", vectors checked" if done.checked else ""))
    return DONE


def _list(options: Namespace, data_dir: Path) -> int:
    from openclaw_memd.models.inventory import list_models

    models = list_models(data_dir)
    if options.json:
        print_json([asdict(model) for model in models])
        return DONE
    for model in models:
        state = plain(model.problem) if model.problem else "installed" if model.installed else "not installed"
        print(f"{model.name:24} {size(model.size_bytes):>8}  {state:14} {model.title}")
    return DONE


def _test(options: Namespace, config: "Config", data_dir: Path) -> int:
    """Try the configured embedder, or the local model that is named."""
    import trio
    from msgspec.structs import replace

    from openclaw_memd.clock import SystemClock, SystemRng
    from openclaw_memd.daemon.embedding import build_embedder
    from openclaw_memd.models.check import ModelReport, check_embedder
    from openclaw_memd.ports import EmbedderError

    if options.model:
        _check_name(options.model, data_dir)
        local = replace(config.embedding, provider="local", model=options.model)
        config = replace(config, embedding=local)

    async def run() -> ModelReport:
        embedder = build_embedder(config, os.environ, SystemClock(), SystemRng())
        try:
            return await check_embedder(embedder)
        finally:
            await embedder.aclose()

    try:
        report = trio.run(run)
    except EmbedderError as error:
        raise CliError(str(error), FAILED) from None
    if options.json:
        print_json(asdict(report))
        return DONE
    print(f"{report.model}: {report.dims} dimensions, loaded in {report.load_ms / 1000:.1f} s")
    print(f"a query takes {report.query_ms:.0f} ms, {report.passages_per_s:.0f} short passages a second")
    print(
        f"finds the right note for {report.found:.0%} of the trial questions "
        f"({report.found_across:.0%} of those asked in another language)"
    )
    if report.reference_cosine is not None:
        print(f"agrees with the vectors that it must give to {report.reference_cosine:.4f}")
    used, measured = report.calibration, report.measured
    print(
        f"calibration: unrelated {used.floor:.3f}, related {used.ceiling:.3f}, weight {used.weight:.2f} "
        f"(measured now {measured.floor:.3f}, {measured.ceiling:.3f}, {measured.weight:.2f})"
    )
    return DONE


def _check_name(model: str, data_dir: Path) -> None:
    from openclaw_memd.models.inventory import list_models

    names = [entry.name for entry in list_models(data_dir)]
    if not (model in names or model.endswith(".gguf") or "/" in model):
        raise CliError(f"there is no model called {model}; known are {', '.join(names)}", USAGE)
