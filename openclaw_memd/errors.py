"""The closed set of errors that may cross a module border and reach a caller.

Messages and fields are safe to put on the wire: they never carry note text, a query, or a path above the
workspace. Whatever else goes wrong is a bug; the gateway answers it as ``internal`` with a reference only.
"""

from typing import ClassVar


class MemdError(Exception):
    """An expected failure with a stable JSON-RPC code and kind (see docs/api.md)."""

    code: ClassVar[int]
    kind: ClassVar[str]

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        field: str | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.field = field
        self.retry_after_ms = retry_after_ms


class InvalidParamsError(MemdError):
    """A parameter is missing, unknown, of the wrong type or out of its range; ``field`` names it."""

    code = -32602
    kind = "invalid_params"


class NotFoundError(MemdError):
    """The named agent, job or other thing does not exist."""

    code = -32001
    kind = "not_found"


class ConflictError(MemdError):
    """The thing changed meanwhile, or somebody else holds its lock."""

    code = -32002
    kind = "conflict"


class DeniedError(MemdError):
    """The caller may not do or see this; ``reason`` tells which rule said so."""

    code = -32003
    kind = "denied"


class UnavailableError(MemdError):
    """A provider, the disk or a database cannot be used now."""

    code = -32004
    kind = "unavailable"


class TooLargeError(MemdError):
    """The input or the answer is over a configured limit."""

    code = -32005
    kind = "too_large"


class OverloadedError(MemdError):
    """The queue is full; ``retry_after_ms`` says when to come back."""

    code = -32006
    kind = "overloaded"


class DeadlineError(MemdError):
    """Nothing useful was ready within the deadline."""

    code = -32007
    kind = "deadline"
