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

        if options.json:
            print_json({"toml": example_toml()})
        else:
            print(example_toml(), end="")
        return DONE
    from openclaw_memd.config import paths
    from openclaw_memd.config.advice import advise
    from openclaw_memd.config.keys import ConfigError
    from openclaw_memd.config.load import load_config
    from openclaw_memd.config.places import check_places
    from openclaw_memd.daemon.settings import check_settings

    file, _ = paths.config_file(os.environ, options.config)
    try:
        config = load_config(file=options.config)
        check_settings(config)
        check_places(config, os.environ)
        warnings = advise(config, os.environ)
    except ConfigError as error:
        raise CliError(str(error), BAD_CONFIG) from None
    if options.json:
        print_json({"file": str(file) if file.exists() else None, "warnings": warnings})
        return DONE
    print(f"{file}: good" if file.exists() else "no configuration file: the defaults hold")
    for warning in warnings:
        print(f"warning: {warning}")
    return DONE
