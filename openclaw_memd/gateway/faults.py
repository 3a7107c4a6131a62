"""How failures look to callers: a code, a kind and a reference, never the text of an unforeseen exception."""

import secrets
from dataclasses import dataclass
from typing import Any

import msgspec
import structlog
from jsonrpcserver.response import ErrorResponse, serialize_error

from openclaw_memd.errors import MemdError, OverloadedError
from openclaw_memd.gateway.admission import RETRY_AFTER_MS

log = structlog.get_logger("memd.gateway")

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INTERNAL = -32700, -32600, -32601, -32603


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure in its wire form."""

    code: int
    message: str
    data: dict[str, Any]


def make_fault(
    code: int,
    kind: str,
    message: str,
    *,
    reason: str | None = None,
    field: str | None = None,
    retry_after_ms: int | None = None,
) -> Fault:
    """A failure in its wire form, with a reference of its own."""
    data: dict[str, Any] = {"kind": kind}
    if reason is not None:
        data["reason"] = reason
    if field is not None:
        data["field"] = field
    if retry_after_ms is not None:
        data["retry_after_ms"] = retry_after_ms
    data["ref"] = secrets.token_hex(4)
    return Fault(code, message, data)


def describe(error: Exception, method: str) -> Fault:
    """The wire form of what a call raised. What was not foreseen is logged; callers get its ``ref``."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    if isinstance(error, MemdError):
        fault = make_fault(
            error.code,
            error.kind,
            error.message,
            reason=error.reason,
            field=error.field,
            retry_after_ms=error.retry_after_ms,
        )
        log.debug("call refused", method=method, kind=error.kind, reason=error.reason, ref=fault.data["ref"])
        return fault
    fault = make_fault(INTERNAL, "internal", "internal error")
    log.error("call failed", method=method, ref=fault.data["ref"], exc_info=error)
    return fault


def too_many_connections() -> Fault:
    """What a connection over ``limits.connections`` is told."""
    return make_fault(
        OverloadedError.code,
        OverloadedError.kind,
        "too many connections",
        reason="connections",
        retry_after_ms=RETRY_AFTER_MS,
    )


def queue_full() -> Fault:
    """What a call is told for which there is no place to wait."""
    return make_fault(
        OverloadedError.code,
        OverloadedError.kind,
        "too many calls wait",
        reason="queue_full",
        retry_after_ms=RETRY_AFTER_MS,
    )


def encode_fault(fault: Fault) -> bytes:
    """The answer to something that has no id."""
    return msgspec.json.encode(serialize_error(ErrorResponse(fault.code, fault.message, fault.data, None)))
