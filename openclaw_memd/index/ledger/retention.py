"""How long the ledger keeps what is of use for a while only."""

from datetime import timedelta
from typing import Final

WRITES_KEPT: Final = timedelta(days=90)
"""Where a written text went, flush cycles and reported writes: a flush may come again, a report late."""

VANISHED_KEPT: Final = timedelta(days=90)
"""Who is behind a line that is in its file no more: it may turn up elsewhere. So for files that are gone."""

OUTSIDE_VANISHED_KEPT: Final = timedelta(days=365)
"""The same for lines from outside: without it a copy of one would be taken for handwritten."""

SKIPPED_KEPT: Final = timedelta(days=30)
"""That a message came of which nothing is kept: a host may send it again for so long."""
