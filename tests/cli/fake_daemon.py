"""A stand-in for the daemon: it answers as it is told and remembers what it was asked."""

import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Answer = Callable[[dict[str, Any]], Any]


class RefusalError(Exception):
    """Answered as an error."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.error = {"code": -32003, "message": message, "data": data}


class FakeDaemon:
    """Speaks the line protocol in a thread. ``answers`` has a function of the params for each method."""

    def __init__(self, path: Path) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Answer] = {
            "status": lambda _: {},
            "recall.get": lambda _: {"status": "not_found"},
        }
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=10)
        self._listener.close()

    def asked(self, method: str) -> list[dict[str, Any]]:
        """The params of each call of ``method``, in order."""
        return [params for name, params in self.calls if name == method]

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # it was shut down
                return
            with connection, connection.makefile("rwb") as stream:
                for line in stream:
                    stream.write(json.dumps(self._answer(json.loads(line))).encode() + b"\n")
                    stream.flush()

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        method, params = request["method"], request["params"]
        if request["id"] == 1:
            self.calls.append((method, params))
        try:
            return {"jsonrpc": "2.0", "id": request["id"], "result": self.answers[method](params)}
        except RefusalError as refusal:
            return {"jsonrpc": "2.0", "id": request["id"], "error": refusal.error}
