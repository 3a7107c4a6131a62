"""``memd`` whose clock is an hour ahead once the file named by ``CLOCK_AHEAD`` is there: ``python -m`` this.

So a day ends when a test says so, however long the machine takes for what comes before.
"""

import os
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from openclaw_memd.clock import SystemClock

CLOCK_AHEAD: Final = "CLOCK_AHEAD"
AHEAD: Final = timedelta(hours=1)

_real_now = SystemClock.now


def _now(self: SystemClock) -> datetime:
    is_ahead = Path(os.environ[CLOCK_AHEAD]).exists()
    return _real_now(self) + AHEAD if is_ahead else _real_now(self)


if __name__ == "__main__":
    from openclaw_memd.cli.main import entry_point

    SystemClock.now = _now  # type: ignore[method-assign]
    sys.argv[0] = "memd"
    entry_point()
