"""``memd run``: the daemon itself, in the foreground."""

import os
from argparse import ArgumentParser, Namespace
from functools import partial

from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, LOCKED, CliError
from openclaw_memd.config.paths import expand
from openclaw_memd.interpreter import do_without, load_without_looking

STOP_LIMIT_S = 4.8
"""A stop takes at most 5 s, what hangs or not."""

SUMMARY = "run the daemon in the foreground"

_QUIET_LIBRARIES = {
    # One thread of linear algebra: the matrix products are small, and other cores are the user's.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}

_UNUSED_LIBRARIES = ("rich", "better_exceptions")
"""structlog takes them along, where they are, for tracebacks of a kind that is never printed here."""


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--workspace", metavar="DIR", help="the main agent's workspace; must exist")


def execute(options: Namespace) -> int:
    """Serve until a signal says stop."""
    load_without_looking()
    os.umask(0o077)
    for name, value in _QUIET_LIBRARIES.items():
        os.environ.setdefault(name, value)
    do_without(_UNUSED_LIBRARIES)
    if options.socket:
        os.environ["MEMD_SOCKET"] = str(expand(options.socket, os.environ))
    from openclaw_memd.config.advice import advise
    from openclaw_memd.config.keys import ConfigError
    from openclaw_memd.config.load import load_config
    from openclaw_memd.config.places import check_places

    try:
        config = load_config(file=options.config, workspace=options.workspace)
        check_places(config, os.environ)
        warnings = advise(config, os.environ)
    except ConfigError as error:
        raise CliError(str(error), BAD_CONFIG) from None
    import structlog
    import trio

    from openclaw_memd.daemon.process import WriterDeadError, run_daemon
    from openclaw_memd.errors import ConflictError, UnavailableError
    from openclaw_memd.files.workspace import WorkspaceError
    from openclaw_memd.gateway.listener import AlreadyRunningError, SocketPathError
    from openclaw_memd.index.database import NewerFormatError
    from openclaw_memd.index.opening import ForeignStateError
    from openclaw_memd.logs import configure_logging
    from openclaw_memd.supervisor import leave_within

    configure_logging(config.logging.level, config.logging.format)

    async def main() -> None:
        await run_daemon(
            config,
            env=os.environ,
            warnings=warnings,
            on_leaving=partial(leave_within, STOP_LIMIT_S),
        )

    try:
        trio.run(main, strict_exception_groups=True)
    except* (AlreadyRunningError, ConflictError) as errors:
        raise CliError(_first(errors), LOCKED) from None
    except* (ConfigError, WorkspaceError, SocketPathError, NewerFormatError, ForeignStateError) as errors:
        raise CliError(_first(errors), BAD_CONFIG) from None
    except* (UnavailableError, WriterDeadError) as errors:
        raise CliError(_first(errors), FAILED) from None
    except* Exception as errors:
        # The log keeps paths and texts out; a traceback on standard error would not.
        structlog.get_logger("memd.daemon").critical("the daemon failed", exc_info=errors)
        raise CliError("the daemon failed; the log has more", FAILED) from None
    return DONE


def _first(errors: BaseExceptionGroup[Exception]) -> str:
    """The message of the first error inside nested groups."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error)
