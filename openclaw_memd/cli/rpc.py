"""``memd rpc``: call any method."""

import json
from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import print_json

SUMMARY = "call any RPC method"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("method", help="such as recall.search; rpc.discover lists them")
    parser.add_argument("params", nargs="?", default="{}", help="a JSON object")


def execute(options: Namespace) -> int:
    """Call the method and print its result."""
    try:
        params = json.loads(options.params)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the parameters are not JSON: {error}") from None
    if not isinstance(params, dict):
        raise UsageError("the parameters must be a JSON object")
    print_json(call(options, options.method, params, timeout_s=3600.0))
    return DONE
