"""What a piece of work cost, and asking a process of its own for it."""

import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Self

LIMIT_S = 1_200.0


@dataclass(frozen=True, slots=True)
class Cost:
    """``wall_s`` counts also the time in which the machine did something else, ``cpu_s`` all threads and all
    processes that ended meanwhile. The memory is this process's.
    """

    items: int
    wall_s: float
    cpu_s: float
    most_rss_mb: float

    @property
    def per_s(self) -> float:
        """Items done in a second."""
        return self.items / self.wall_s

    def to_json(self) -> dict[str, Any]:
        """A plain object."""
        return asdict(self)


class Stopwatch:
    """Measures what happens inside it."""

    def __enter__(self) -> Self:
        self._wall_s, self._cpu_s = time.perf_counter(), _count_cpu_s()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wall_s = time.perf_counter() - self._wall_s
        self._cpu_s = _count_cpu_s() - self._cpu_s

    def cost(self, items: int) -> Cost:
        """What it was, done for ``items`` things; the memory is the most that the process ever had."""
        most_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return Cost(items, self._wall_s, self._cpu_s, most_kib * 1024 / 1e6)


def _count_cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def ask(module: str, *arguments: str) -> Cost:
    """Run ``module`` of this package with ``arguments``; the cost that it printed.

    Raises:
        subprocess.CalledProcessError: it failed; its standard error was shown.
    """
    command = (sys.executable, "-m", f"benchmarks.{module}", *arguments)
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=LIMIT_S, check=True)
    return Cost(**json.loads(done.stdout))
