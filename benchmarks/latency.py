"""How long a trivial call takes through each protocol, from a client with nothing but a socket.

    python -m benchmarks.latency [--socket PATH] [--calls N]

Without ``--socket`` a gateway whose ``status`` is a constant is started in a process of its own.
"""

import argparse
import json
import multiprocessing
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import cast

import trio

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway.listener import open_listener
from openclaw_memd.gateway.server import Gateway
from openclaw_memd.gateway.services import Services
from openclaw_memd.gateway.status_results import StatusReport

CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "status", "params": {}}).encode()
WARM_UP_CALLS = 200


class ConstantServices:
    """A daemon that knows nothing."""

    async def status(self, deep: bool) -> StatusReport:
        return StatusReport(
            version="0", pid=0, uptime_s=0, state="ok", socket="", agents=(), jobs=(), warnings=()
        )

    def healthy(self) -> bool:
        return True


def echo(path: Path) -> None:
    """The floor: the fewest steps that trio needs to read a line and write one."""

    async def answer(stream: trio.SocketStream) -> None:
        while await stream.receive_some():
            await stream.send_all(CALL + b"\n")

    async def main() -> None:
        sockets = open_listener(path).sockets
        listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(sock)) for sock in sockets]
        await trio.serve_listeners(answer, listeners)

    trio.run(main)


def serve(path: Path) -> None:
    async def main() -> None:
        gateway = Gateway(cast(Services, ConstantServices()), Limits())
        await gateway.serve(open_listener(path), stopping=trio.Event())

    trio.run(main)


def open_socket(path: Path) -> socket.socket:
    for _ in range(500):
        try:
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(str(path))
            return sock
        except OSError:
            sock.close()
            time.sleep(0.02)
    raise SystemExit("no daemon")


def call_by_line(sock: socket.socket) -> None:
    sock.sendall(CALL + b"\n")
    while not sock.recv(65536).endswith(b"\n"):
        pass


def call_by_http(sock: socket.socket) -> None:
    head = (
        f"POST /rpc HTTP/1.1\r\nhost: memd\r\ncontent-type: application/json\r\ncontent-length: {len(CALL)}"
    )
    sock.sendall(head.encode() + b"\r\n\r\n" + CALL)
    answer = b""
    while not answer.endswith(b"}"):
        answer += sock.recv(65536)


def measure(call: Callable[[socket.socket], None], path: Path, calls: int) -> list[float]:
    with open_socket(path) as sock:
        times = []
        for _ in range(WARM_UP_CALLS + calls):
            started = time.perf_counter()
            call(sock)
            times.append(time.perf_counter() - started)
    return times[WARM_UP_CALLS:]


def report(name: str, call: Callable[[socket.socket], None], path: Path, calls: int) -> None:
    cuts = statistics.quantiles(measure(call, path, calls), n=100)
    print(json.dumps({"call": name, "p50_us": round(cuts[49] * 1e6), "p99_us": round(cuts[98] * 1e6)}))


@contextmanager
def running(server: Callable[[Path], None]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="m", dir="/tmp") as folder:
        path = Path(folder) / "memd.sock"
        process = multiprocessing.get_context("spawn").Process(target=server, args=(path,), daemon=True)
        process.start()
        try:
            yield path
        finally:
            process.terminate()
            process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", type=Path, help="measure this daemon")
    parser.add_argument("--calls", type=int, default=5000)
    args = parser.parse_args()
    with running(echo) as path:
        report("floor", call_by_line, path, args.calls)
    with nullcontext(args.socket) if args.socket else running(serve) as path:
        report("line", call_by_line, path, args.calls)
        report("http", call_by_http, path, args.calls)


if __name__ == "__main__":
    main()
