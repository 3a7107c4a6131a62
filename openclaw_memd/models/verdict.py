"""What a provider's answer means and how long to wait: pure decisions of the models behind HTTP."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

_BACKOFF_S = 0.5
_MOST_BACKOFF_S = 8.0
_JITTER = 0.2
"""OpenClaw's values: half a second, doubling to eight, and up to a fifth more."""

_OUT_OF_QUOTA = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "insufficient_balance",
        "credit_balance_too_low",
        "access_terminated",
    }
)
_TOO_LARGE = re.compile(
    r"too (?:large|long|many)|maximum (?:context|batch|input|allowed|number)|max(?:imum)?[ _]tokens"
    r"|context length|input limit|batch size|at most \d+|exceed",
    re.IGNORECASE,
)
_RETRIED = frozenset({408, 409, 425, 429})
_DENIED = {
    401: "refused the key (401); check the key",
    402: "has no quota left for us; check the plan and billing",
    403: "refused the key (403); check the key",
    404: "knows no such address or model (404); check base_url and model",
}
_EMBEDDING = "the embedding provider"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The vectors are in the body."""


@dataclass(frozen=True, slots=True)
class TryLater:
    """It may work later; ``retry_after_s`` is what the provider asked for, if it did.

    ``suspect_texts``: it may be a text that the provider breaks on, and then it never works.
    """

    reason: str
    retry_after_s: float | None = None
    suspect_texts: bool = False


@dataclass(frozen=True, slots=True)
class TooLarge:
    """Fewer or shorter texts may work."""


@dataclass(frozen=True, slots=True)
class Denied:
    """It will not work until somebody does what ``reason`` says."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The provider does not like this request."""

    reason: str


Verdict = Accepted | TryLater | TooLarge | Denied | Refused


def judge(
    status: int, headers: Mapping[str, str], body: bytes, *, now: datetime, who: str = _EMBEDDING
) -> Verdict:
    """What an answer of ``who`` means. Reasons never quote the body: it may repeat the text that was sent."""
    if 200 <= status < 300:
        return Accepted()
    codes, message = read_error(body)
    denied = _DENIED[402] if codes & _OUT_OF_QUOTA else _DENIED.get(status)
    if denied is None and 300 <= status < 400:
        denied = f"redirects elsewhere ({status}); check base_url"
    if denied is not None:
        return Denied(f"{who} {denied}")
    if status == 413 or (status in (400, 422) and _TOO_LARGE.search(message)):
        return TooLarge()
    if status in _RETRIED or status >= 500:
        what = "limits requests" if status == 429 else f"failed ({status})"
        retry_after_s = _retry_after_s(headers, now)
        return TryLater(f"{who} {what}", retry_after_s, suspect_texts=status == 500)
    return Refused(f"{who} refused the request ({status})")


def read_error(body: bytes) -> tuple[frozenset[str], str]:
    """The codes and the message of an error in the shape of OpenAI's; some wrap it in a list."""
    try:
        content = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return frozenset(), body[:1000].decode("utf-8", "replace")
    if isinstance(content, list) and content:
        content = content[0]
    error = content.get("error", content) if isinstance(content, dict) else content
    if not isinstance(error, dict):
        return frozenset(), str(error)
    codes = (error.get("code"), error.get("type"), error.get("status"))
    message = error.get("message", error.get("detail", ""))
    return frozenset(code for code in codes if isinstance(code, str)), str(message)


def _retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    value = headers.get("retry-after")
    return None if value is None else parse_retry_after(value, now)


def parse_retry_after(value: str, now: datetime) -> float | None:
    """Seconds to wait by a Retry-After header, which holds seconds or a date (RFC 9110, 10.2.3)."""
    value = value.strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value):
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())


def backoff_s(failures: int, jitter: float) -> float:
    """Seconds to wait after ``failures`` failures in a row; ``jitter`` is random in [0, 1)."""
    delay_s = min(_MOST_BACKOFF_S, _BACKOFF_S * 2.0 ** min(max(0, failures - 1), 10))
    return min(_MOST_BACKOFF_S, delay_s * (1 + _JITTER * jitter))
