"""``memd config``: check the configuration, or show an example; needs no daemon."""

import os
from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.exits import BAD_CONFIG, DONE, CliError
from openclaw_memd.cli.output import print_json

SUMMARY = "check the configuration, or print an example"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", choices=["check", "example"])


def execute(options: Namespace) -> int:
    """Check the configuration file and the environment."""
    if options.action == "example":
        from openclaw_memd.config.reference import example_toml

        print(example_toml(), end="")
        return DONE
    from openclaw_memd.config import paths
    from openclaw_memd.config.load import ConfigError, load_config, read_file, unread_sections
    from openclaw_memd.daemon.settings import check_settings

    file, _ = paths.config_file(os.environ, options.config)
    try:
        check_settings(load_config(file=options.config))
        unread = unread_sections(read_file(os.environ, options.config))
    except ConfigError as error:
        raise CliError(str(error), BAD_CONFIG, {"message": str(error)}) from None
    if options.json:
        print_json({"file": str(file) if file.exists() else None, "unread_sections": unread})
        return DONE
    print(f"{file}: good" if file.exists() else "no configuration file: the defaults hold")
    for section in unread:
        print(f"[{section}] is set, but nothing in this version acts on it")
    return DONE
