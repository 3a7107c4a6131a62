"""One line that tells what is running, on a terminal."""

import sys
import time
from typing import TextIO

_ERASE = "\r\x1b[2K"


class ProgressLine:
    """Says what is measured and for how long; silent where nobody watches."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self._stream = stream
        self._shown = stream.isatty()
        self._started_at = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._started_at

    def say(self, text: str) -> None:
        """Show ``text`` in place of what was shown."""
        if self._shown:
            self._stream.write(f"{_ERASE}[{self.elapsed_s:4.0f} s] {text}")
            self._stream.flush()

    def clear(self) -> None:
        """Show nothing."""
        if self._shown:
            self._stream.write(_ERASE)
            self._stream.flush()
