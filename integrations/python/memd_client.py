"""A client of memd for agent runtimes, in one file: the Python standard library is all it needs.

    with Memd() as memd:
        memd.lend(my_model)                                    # memd may ask my_model from now on
        memd.subscribe(["memory.changed"], print)
        found = memd.call("recall.search", query="gateway port")

One thread reads the connection. Answers go to whoever asked; questions for the model and events go to threads
of their own, so a model may itself ask memd something before it answers.
"""

import argparse
import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Question = Mapping[str, Any]
"""What memd asks a model: system, prompt, max_tokens, deadline_ms, purpose, and perhaps schema."""

Event = Mapping[str, Any]
"""What memd tells of: topic, at, and more."""

MODEL_FAILED = -32000


class MemdError(Exception):
    """memd answered with an error. ``kind`` and ``reason`` are stable, the message is for people."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["message"])
        data = error.get("data") or {}
        self.code: int = error["code"]
        self.kind: str | None = data.get("kind")
        self.reason: str | None = data.get("reason")


class GoneError(Exception):
    """The connection to memd ended."""


def default_socket(env: Mapping[str, str] = os.environ) -> Path:
    """Where memd listens when its configuration says nothing else."""
    if env.get("MEMD_SOCKET"):
        return Path(env["MEMD_SOCKET"]).expanduser()
    runtime = Path(env.get("XDG_RUNTIME_DIR") or "-")
    if runtime.is_absolute() and runtime.is_dir() and runtime.stat().st_uid == os.geteuid():
        return runtime / "openclaw-memd" / "memd.sock"
    state = Path(env.get("XDG_STATE_HOME") or "-")
    if not state.is_absolute():
        state = Path.home() / ".local" / "state"
    return state / "openclaw-memd" / "run" / "memd.sock"


class Memd:
    """One connection; calls may come from any thread."""

    def __init__(self, path: Path | None = None) -> None:
        """Connect.

        Raises:
            OSError: no memd listens there.
        """
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(str(path or default_socket()))
        except OSError:
            self._socket.close()
            raise
        self._lines = self._socket.makefile("rb")
        self._sending = threading.Lock()
        self._numbering = threading.Lock()
        self._number = 0
        self._waiting: dict[int, Future[Any]] = {}
        self._model: Callable[[Question], str] | None = None
        self._model_threads: ThreadPoolExecutor | None = None
        self._on_event: Callable[[Event], object] | None = None
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._closed = False
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read, self._tell)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, method: str, *, wait_s: float = 60.0, **params: Any) -> Any:
        """The result of one call.

        Raises:
            MemdError: memd answered with an error.
            GoneError: the connection ended.
            TimeoutError: there was no answer in ``wait_s``; with ``deadline_ms`` memd itself keeps to a time.
        """
        answer: Future[Any] = Future()
        with self._numbering:
            if self._closed:
                raise GoneError("the connection to memd has ended")
            self._number += 1
            number = self._number
            self._waiting[number] = answer
        try:
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            return answer.result(wait_s)
        finally:
            self._waiting.pop(number, None)

    def lend(
        self,
        model: Callable[[Question], str],
        *,
        models: Sequence[str] = (),
        max_parallel: int = 1,
        **params: Any,
    ) -> bool:
        """Let memd ask ``model`` for as long as the connection lasts; whether it is configured to ask.

        ``model`` gets a question and gives a text. What it raises is told to memd as a failure, without the
        message; memd then does without the model.
        """
        self._model = model
        # In this order, so that a question that comes meanwhile meets threads that take it.
        before, self._model_threads = self._model_threads, ThreadPoolExecutor(max_parallel)
        if before is not None:
            before.shutdown(wait=False)
        attached = self.call("model.attach", models=list(models), max_parallel=max_parallel, **params)
        return bool(attached["used"])

    def subscribe(self, topics: Sequence[str], on_event: Callable[[Event], object], **params: Any) -> None:
        """Call ``on_event`` with each event, one after the other, in a thread of their own."""
        self._on_event = on_event
        self.call("events.subscribe", topics=list(topics), **params)

    def close(self) -> None:
        """End the connection; harmless when it has ended."""
        self._end()
        if self._model_threads is not None:
            self._model_threads.shutdown(wait=False)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(5)
        self._lines.close()
        self._socket.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        # JSON in ASCII: half a character, which JSON cannot carry, is sent as "?".
        line = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._sending:
            try:
                self._socket.sendall(line)
            except OSError as error:
                raise GoneError("the connection to memd has ended") from error

    def _read(self) -> None:
        """Sort what comes in, until the connection ends. Nothing here may wait for memd."""
        try:
            for line in self._lines:
                message = json.loads(line)
                if "method" not in message:
                    self._settle(message)
                elif message["method"] == "event":
                    self._events.put(message["params"])
                elif message["method"] == "model.complete" and self._model_threads is not None:
                    self._model_threads.submit(self._complete, message)
        except (OSError, ValueError, RuntimeError):
            pass  # the connection ended, or this client was closed
        finally:
            self._end()

    def _settle(self, message: Mapping[str, Any]) -> None:
        if not isinstance(message.get("id"), int):
            return
        with self._numbering:  # what is taken out here is not told as well that the connection ended
            answer = self._waiting.pop(message["id"], None)
        if answer is None:
            return  # nobody waits for it any more
        if "error" in message:
            answer.set_exception(MemdError(message["error"]))
        else:
            answer.set_result(message["result"])

    def _complete(self, message: Mapping[str, Any]) -> None:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            assert self._model is not None
            answer["result"] = {"text": self._model(message["params"])}
        except Exception:
            answer["error"] = {"code": MODEL_FAILED, "message": "the model failed"}
        with contextlib.suppress(GoneError):
            self._send(answer)

    def _tell(self) -> None:
        while (event := self._events.get()) is not None:
            if self._on_event is not None:
                try:
                    self._on_event(event)
                except Exception as error:  # the events after it are still to be told
                    print(f"memd_client: on_event failed: {error!r}", file=sys.stderr)

    def _end(self) -> None:
        with self._numbering:
            self._closed = True
            waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            answer.set_exception(GoneError("the connection to memd has ended"))
        self._events.put(None)
        with contextlib.suppress(OSError):  # it had ended
            self._socket.shutdown(socket.SHUT_RDWR)


def command_model(command: Sequence[str]) -> Callable[[Question], str]:
    """A model that is a command: it gets the question on its standard input, and prints the answer."""

    def answer(question: Question) -> str:
        prompt = f"{question['system']}\n\n{question['prompt']}"
        if "schema" in question:
            prompt += f"\n\nAnswer with JSON alone, by this JSON Schema:\n{json.dumps(question['schema'])}"
        limit_s = question["deadline_ms"] / 1000
        done = subprocess.run(
            list(command), input=prompt, capture_output=True, text=True, timeout=limit_s, check=True
        )
        return done.stdout

    return answer


def main(arguments: Sequence[str] | None = None) -> int:
    """Recall what a message asks for, with a command as the model."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("message", help="what the user said")
    parser.add_argument("--socket", type=Path, help="memd's socket; default: MEMD_SOCKET or the usual place")
    parser.add_argument(
        "--model", nargs="+", metavar="WORD", help="a command to lend, such as: --model ollama run qwen3:4b"
    )
    options = parser.parse_args(arguments)
    try:
        with Memd(options.socket) as memd:
            if options.model and not memd.lend(command_model(options.model), models=options.model[-1:]):
                print('memd asks another model; set [model] provider = "runtime"', file=sys.stderr)
            recalled = memd.call("recall.deep", text=options.message)
    except (OSError, GoneError, MemdError) as error:
        print(f"memd_client: {error}", file=sys.stderr)
        return 1
    print(recalled["context"] or f"nothing: {recalled['outcome']} ({recalled['reason']})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
