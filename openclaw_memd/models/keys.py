"""Where an API key comes from."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_OTHERS_MAY_READ = stat.S_IRGRP | stat.S_IROTH


class KeyProblemError(Exception):
    """The key cannot be had; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that never shows itself. ``warning`` says what is unsafe about where it lies."""

    value: str | None
    warning: str | None = None

    def __repr__(self) -> str:
        return "Key(...)"


def read_key(*, env: str | None, file: str | None, environment: Mapping[str, str] = os.environ) -> Key:
    """The key in the environment variable ``env`` or in ``file``; no key if neither is named.

    Raises:
        KeyProblemError: what is named is not there, or is no key.
    """
    warning = None
    if env:
        value = environment.get(env, "").strip()
        if not value:
            raise KeyProblemError(f"the environment variable {env} is not set; it must hold the API key")
    elif file:
        path = Path(file).expanduser()
        try:
            mode = path.stat().st_mode
            if not stat.S_ISREG(mode):
                raise KeyProblemError("the API key file is not a file; check api_key_file")
            value = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise KeyProblemError("the API key file cannot be read; check api_key_file") from None
        if not value:
            raise KeyProblemError("the API key file is empty")
        if mode & _OTHERS_MAY_READ:
            warning = "the API key file can be read by others; run: chmod 600 on it"
    else:
        return Key(None)
    if not value.isascii() or not value.isprintable() or " " in value:
        raise KeyProblemError("the API key has characters that a key cannot have")
    return Key(value, warning)
