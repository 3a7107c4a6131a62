"""``memd service``: memd as a service of systemd or launchd; needs no daemon."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, LOCKED, USAGE, CliError
from openclaw_memd.cli.output import paint, plain, print_json
from openclaw_memd.config.paths import expand

if TYPE_CHECKING:
    from openclaw_memd.config.schema import Config
    from openclaw_memd.ops.service.managing import Manager, ServiceReport

SUMMARY = "run memd as a service of systemd or launchd"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", choices=["install", "status", "uninstall"])
    parser.add_argument("--system", action="store_true", help="the hardened template for servers (systemd)")
    parser.add_argument("--workspace", metavar="DIR", help="install: the main agent's workspace; must exist")
    parser.add_argument("--dry-run", action="store_true", help="show what would be done, change nothing")


def execute(options: Namespace) -> int:
    """Do it; 1 when the service is not installed or does not run."""
    from dataclasses import asdict

    from openclaw_memd.ops.service.managing import install, look, uninstall
    from openclaw_memd.ops.service.programs import ServiceError

    if options.system and (options.workspace or options.socket):
        raise CliError("a workspace and a socket are each user's own: set them in their configuration", USAGE)
    if os.geteuid() == 0 and os.environ.get("SUDO_USER") and not options.system:
        raise CliError("with sudo it would be root's: use --system, or leave sudo away", USAGE)
    notes = []
    try:
        manager = _manager(options)
        match options.action:
            case "install":
                notes = _unseen_settings()
                _refuse_second(options, manager)
                report = install(manager, dry_run=options.dry_run)
            case "uninstall":
                report = uninstall(manager, dry_run=options.dry_run)
            case _:
                report = look(manager)
    except ServiceError as error:
        raise CliError(str(error), FAILED) from None
    if options.json:
        print_json(asdict(report) | {"notes": [*notes, *report.notes]})
    else:
        _show(report, notes)
    if options.action != "status" or (report.service is not None and report.service.running):
        return DONE
    return FAILED


def _manager(options: Namespace) -> "Manager":
    from openclaw_memd.ops.service.command import own_command, run_words

    config = _check_config(options) if options.action == "install" else None
    place = expand(options.socket, os.environ) if options.socket else None
    workspace = expand(options.workspace, os.environ) if options.workspace else None
    words = run_words(
        own_command(sys.argv[0], sys.executable),
        config=expand(options.config, os.environ) if options.config else None,
        workspace=workspace,
        socket=place,
    )
    if sys.platform == "darwin":
        from openclaw_memd.ops.service.launchd import Launchd

        if options.system:
            raise CliError("--system is for systemd", USAGE)
        return Launchd(words, os.environ)
    from openclaw_memd.ops.service.systemd import SystemSystemd, UserSystemd

    if options.system:
        return SystemSystemd(words)
    if place is None and config is not None and config.paths.socket:
        place = expand(config.paths.socket, os.environ)
    return UserSystemd(words, os.environ, socket=place)


def _check_config(options: Namespace) -> "Config":
    """The configuration as the service will see it: of the environment, only what all of the user's share."""
    from openclaw_memd.config.keys import ConfigError
    from openclaw_memd.config.load import load_config

    env = {name: value for name, value in os.environ.items() if not name.startswith("MEMD_")}
    try:
        config = load_config(env, file=options.config, workspace=options.workspace)
    except ConfigError as error:
        raise CliError(str(error), BAD_CONFIG) from None
    if options.workspace and not expand(options.workspace, env).is_dir():
        raise CliError("--workspace: there is no such folder", BAD_CONFIG)
    return config


def _unseen_settings() -> list[str]:
    names = sorted(name for name in os.environ if name.startswith("MEMD_"))
    if not names:
        return []
    return [f"the service does not see {', '.join(names)} of this shell: set them in the configuration file"]


def _refuse_second(options: Namespace, manager: "Manager") -> None:
    """A daemon that was started by hand holds the workspace: the service would fail beside it."""
    from openclaw_memd.cli.client import NoDaemonError, call_at, socket_of

    if options.dry_run or options.system or manager.find() != "running" or manager.service().running:
        return
    try:
        report = call_at(socket_of(options), "status", {}, timeout_s=5.0)
    except NoDaemonError:
        return
    if manager.service().pid == report["pid"]:  # the socket unit started it for our call
        return
    raise CliError(f"memd runs already, by hand (pid {report['pid']}): stop it, then install again", LOCKED)


def _show(report: "ServiceReport", notes: list[str]) -> None:
    for file in report.files:
        would = "would be " if report.dry_run and file.action else ""
        what = f"{would}{file.action or file.state}"
        print(f"{what:10} {plain(file.path)}")
        for drop_in in file.drop_ins:
            print(f"{'drop-in':10} {plain(drop_in)}")
        if file.text is not None:
            print(plain(file.text))
    for command in report.commands:
        print(f"{'would run' if report.dry_run else 'ran':10} {plain(command)}")
    service = report.service
    if service is not None:
        style = "green" if service.running else "yellow"
        details = [f"pid {service.pid}"] if service.pid else []
        details += [service.enabled] if service.enabled else []
        details += [f"restarts {service.restarts}"] if service.restarts else []
        details += [f"last exit code {service.exit_code}"] if service.exit_code else []
        print(f"{'service':10} {paint(service.state, style)}" + "".join(f", {one}" for one in details))
    for note in (*notes, *report.notes, *(service.advice if service is not None else ())):
        print(f"{paint('note', 'yellow')}: {plain(note)}")
