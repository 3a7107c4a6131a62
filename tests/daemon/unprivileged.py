"""``memd`` as a user whom file modes bind, even where only root may read the interpreter's files."""

import codecs
import os
import pkgutil
import sys
from contextlib import suppress
from importlib import import_module

import openclaw_memd
from openclaw_memd.cli.main import main
from tests.files.unprivileged import NOBODY

COMMAND = (sys.executable, "-m", "tests.daemon.unprivileged")

if __name__ == "__main__":
    for module in pkgutil.walk_packages(openclaw_memd.__path__, "openclaw_memd."):
        with suppress(ModuleNotFoundError):  # what runs models needs packages that may not be there
            import_module(module.name)
    for encoding in ("ascii", "latin-1", "idna"):
        codecs.lookup(encoding)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    sys.exit(main(sys.argv[1:]))
