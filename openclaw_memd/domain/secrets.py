"""Finding secrets in text by their shape, so that they do not leave the machine.

This cannot find every secret; it finds the shapes that keys, tokens, passwords and cards commonly have.
"""

import re
from typing import Final

MASK: Final = "[masked]"

_PEM = re.compile(
    r"-----BEGIN (?P<kind>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END (?P=kind)-----|\Z)", re.DOTALL
)

_KEY_SHAPES = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
        sk-[A-Za-z0-9_-]{12,}                                   # OpenAI, Anthropic and others
      | (?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}             # Stripe
      | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,}
      | glpat-[A-Za-z0-9_-]{16,}
      | (?:AKIA|ASIA)[A-Z0-9]{16}                               # AWS
      | AIza[A-Za-z0-9_-]{30,} | ya29\.[A-Za-z0-9_-]{20,}       # Google
      | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{10,} # Slack
      | \d{8,10}:[A-Za-z0-9_-]{35}                              # Telegram
      | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{30,} | pypi-[A-Za-z0-9_-]{40,} | pa-[A-Za-z0-9_-]{40,}
      | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}              # SendGrid
      | AGE-SECRET-KEY-1[A-Z0-9]{20,}
      | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*  # JSON web tokens
    )""",
    re.VERBOSE,
)

_AUTHORIZATION = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+(?P<value>[A-Za-z0-9+/_.~=-]{8,})", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"(?P<before>\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:)(?P<value>[^\s/@]+)(?=@)")

_PASSWORD_WORDS = (
    r"pass(?:word|wd|phrase)|pwd|passwort|kennwort|contraseña|mot\ de\ passe|senha|пароль"
    r"|密码|密碼|口令|パスワード|暗証番号|비밀번호|كلمة\ المرور|รหัสผ่าน"
)
_TOKEN_WORDS = (
    r"secret|token|credentials?|(?:api|access|private|secret|auth|signing|encryption|master)[ _-]?key"
)
_VALUE = r"""(?P<value>"[^"\n]+"|'[^'\n]+'|`[^`\n]+`|[^\s"'`,;]+)"""
_SEPARATOR = r"""["'`*]{0,3}\s{0,3}(?:=>|:=|[=:：])\s{0,3}[*]{0,2}"""

_PASSWORD = re.compile(rf"(?P<before>(?:{_PASSWORD_WORDS}){_SEPARATOR}){_VALUE}", re.IGNORECASE)
_PASSWORD_SAID = re.compile(
    rf"(?P<before>(?:{_PASSWORD_WORDS})\s(?:is|ist|es|est|é|это|—|-)\s)(?P<value>(?=\S*\d)\S+)", re.IGNORECASE
)
_TOKEN = re.compile(rf"(?P<before>(?:{_TOKEN_WORDS}){_SEPARATOR}){_VALUE}", re.IGNORECASE)
_LEAST_TOKEN_CHARS = 8

_CARD = re.compile(r"(?<![\d.-])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\d.-])")


def mask_secrets(text: str) -> str:
    """``text`` with each secret replaced by a mark; what names the secret stays."""
    text = _PEM.sub(MASK, text)
    text = _KEY_SHAPES.sub(MASK, text)
    text = _AUTHORIZATION.sub(rf"\g<scheme> {MASK}", text)
    for pattern in (_URL_PASSWORD, _PASSWORD, _PASSWORD_SAID):
        text = pattern.sub(rf"\g<before>{MASK}", text)
    text = _TOKEN.sub(_mask_token, text)
    return _CARD.sub(_mask_card, text)


def _mask_token(found: re.Match[str]) -> str:
    """A token is long and has a digit; "token: see below" is prose."""
    value = found["value"].strip("\"'`")
    if len(value) < _LEAST_TOKEN_CHARS or not any(char.isdigit() for char in value):
        return found[0]
    return found["before"] + MASK


def _mask_card(found: re.Match[str]) -> str:
    digits = [int(char) for char in found[0] if char.isdigit()]
    return MASK if _passes_luhn(digits) else found[0]


def _passes_luhn(digits: list[int]) -> bool:
    """The check digit of payment cards (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = digit * 2 if place % 2 else digit
        total += value - 9 if value > 9 else value
    return total % 10 == 0
