"""What secrets look like: the prefixes of keys, the words before passwords, blocks, headers, cards.

The formats are those that their issuers publish. No pattern can take more than linear time: runs are
possessive or bounded, and begin only where the run before them ended.
"""

import base64
import binascii
import re
from typing import Final

MASK: Final = "[masked]"

RUN: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:~+/-"
"""Of these a key consists; what finds one looks at no other character."""
LEAST_KEY_CHARS: Final = 15
LABEL_CHARS: Final = 62
"""The most of a line that says what block follows."""
BASE64: Final = RUN[:62] + "+/"
LEAST_LINE_CHARS: Final = 60
"""Of a block in base64; its last line may be shorter."""

KEY: Final = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
      sk-[A-Za-z0-9_-]{12,}+                                    # OpenAI, Anthropic, OpenRouter and others
    | (?:sk|pk|rk|rzp)_(?:live|test|prod)_[A-Za-z0-9]{10,}+     # Stripe, Razorpay
    | (?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}+                      # Slack
    | (?:glpat|gl(?:rt|dt|ptt|ft|imt|soat|cbt|agent|ffct)|GOCSPX|HRKU|PMAK|CFPAT|NRAK|NRJS|sq0[a-z]{3}
        |tskey|nvapi|tvly|AGE-SECRET-KEY|xkeysib|FLWSECK(?:_TEST)?)-[A-Za-z0-9_-]{16,}+
    | (?:pplx|xai)-[A-Za-z0-9]{30,}+ | (?:pa|pypi)-[A-Za-z0-9_-]{40,}+ | pul-[0-9a-f]{40,}+
    | key-[0-9a-f]{32}(?![A-Za-z0-9]) | v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+
    | (?:gh[pousr]|github_pat|hf|npm|rubygems|whsec|dckr_[op]at|do[opr]_v1|lin_(?:api|oauth)|ntn|sntry[su]|r8
        |gsk|glsa|glc|shp(?:at|ca|pa|ss|tka)|fig[dhu]|ph[cx]|sbp|lsv2_(?:pt|sk)|jina|tfp|bkua|CCIPAT|CCIPRJ
        |cf(?:k|ut|at))_[A-Za-z0-9]{16,}+[A-Za-z0-9_-]*+
    | (?:sb_secret|pscale_(?:tkn|pw|oauth))_[A-Za-z0-9_-]{16,}+ | (?:sk|secret)_[A-Za-z0-9]{40,}+
    | (?:re|pcsk)_[A-Za-z0-9]{5,10}_[A-Za-z0-9]{20,}+
    | (?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}[A-Za-z0-9]*+          # AWS
    | LTAI[A-Za-z0-9]{12,}+ | AIza[A-Za-z0-9_-]{30,}+ | EAA[A-Za-z0-9]{60,}+ | ABSK[A-Za-z0-9+/]{60,}+
    | AT(?:ATT3|CTT3|BB)[A-Za-z0-9_-]{16,}+ | dapi[0-9a-f]{32}[0-9a-f-]*+ | EZ[AT]K[A-Za-z0-9]{54,}+
    | xprv[A-Za-z0-9]{100,}+ | nsec1[a-z0-9]{50,}+ | SK[0-9a-f]{32}(?![A-Za-z0-9])
    | [0-9a-f]{32}-(?:us[0-9]{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?![A-Za-z0-9-])   # Mailchimp, Mailgun
    | (?:ya29|hv[sbr]|dp\.(?:pt|st|sa|ct|scim|audit)|dt0[a-z][0-9]{2}|SG)
        \.[A-Za-z0-9_-]{16,}+(?:\.[A-Za-z0-9_-]++)*+
    | 1//0[A-Za-z0-9_-]{30,}+ | pat[A-Za-z0-9]{14}\.[0-9a-f]{64}
    | [A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}+ | [A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,}+
    | [0-9]{8,10}:[A-Za-z0-9_-]{35}[A-Za-z0-9_-]*+              # Telegram
    | [MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+       # Discord
    | eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){0,3}+    # JSON web tokens
    | ops_eyJ[A-Za-z0-9_-]{20,}+
    | LS0tLS1CRUdJTi(?!BDRVJU|BQVUJMSUMg)[A-Za-z0-9+/]{20,}+                   # a private key in base64
    | hooks\.slack\.com/(?:services|workflows|triggers)/(?P<slack>[A-Za-z0-9_/-]{10,}+)
    | (?:canary\.|ptb\.)?discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/(?P<discord>[A-Za-z0-9_/-]{20,}+)
    )""",
    re.VERBOSE,
)

PRIVATE_BLOCK: Final = re.compile(
    r"----[- ]BEGIN (?P<kind>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-?[ -]---"
    r".*?(?:----[- ]END (?P=kind)-?[ -]----?|\Z)",
    re.DOTALL,
)

_INDENT = r"(?:[^\S\r\n]|[>|]){0,16}+"
_END = rf"(?={_INDENT}-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----)"
_LAST_LINE = rf"{_INDENT}[A-Za-z0-9+/]{{1,76}}={{0,2}}[ \t]*+(?:\r?\n|\Z)"
BLOB: Final = re.compile(
    rf"(?P<label>-----BEGIN [A-Z0-9 ]{{1,40}}-----[ \t]{{0,4}}+\r?\n)?"
    rf"(?P<lines>(?:^{_INDENT}[A-Za-z0-9+/]{{60,76}}[ \t]*+(?:\r?\n|\Z))++(?:^{_LAST_LINE})?)(?P<end>{_END})?"
    rf"|^(?P<last>{_LAST_LINE}){_END}",
    re.MULTILINE,
)
"""Lines of base64: the middle or the end of a private key whose beginning is in another piece of the text."""
ESCAPED_BLOB: Final = re.compile(
    r"(?:(?P<label>-----BEGIN [A-Z0-9 ]{1,40}-----\\n)|(?<![A-Za-z0-9+/]))"
    r"(?P<lines>[A-Za-z0-9+/]{1,77}+={0,2}(?:\\n[A-Za-z0-9+/]{60,76})++(?:\\n[A-Za-z0-9+/]{1,76}={0,2})?)"
    r"(?P<end>(?=\\n-----END [A-Z0-9 ]{0,40}PRIVATE KEY))?"
)
"""The same inside a string of JSON, which may be cut anywhere."""

_PASSWORD_WORDS = (
    r"pass(?:word|wd|phrase|wort|ord|e(?<=mot\ de\ passe)|(?<=[_.-]pass))|pwd|kennwort|wachtwoord|senha"
    r"|contrase(?:ñ|n\u0303)a|пароль|密码|密碼|口令|パスワード|暗証番号|비밀번호|كلمة\ المرور|รหัสผ่าน"
)
_KEYS = (
    *("api", "access", "private", "secret", "auth", "signing", "encryption", "master"),
    *("account", "client", "shared"),
)
_TOKEN_WORDS = (
    r"secret|token|credentials?|密钥|密鑰|令牌|トークン"
    rf"|key(?:{'|'.join(f'(?<={word}key)|(?<={word}[ _-]key)' for word in _KEYS)})(?:[_-]?data)?"
)
NAME_STEMS: Final = (
    *("pass", "pwd", "kennwort", "wachtwoord", "senha", "secret", "token", "credential", "key"),
    "sess",
)
"""Every word before a secret begins with one of these, in lower case, or with one of the next."""
FOREIGN_STEMS: Final = (
    *("contrase", "пароль", "密", "口令", "パスワード", "暗証番号", "비밀번호", "كلمة", "รหัสผ่าน"),
    *("令牌", "トークン"),
)

_STOPS = r"""\s"'`,;&<\\，。；、！？」』】》”"""
_BARE = (
    rf"""(?:[^{_STOPS}]|["'`](?=[A-Za-z0-9])|&(?![A-Za-z_][A-Za-z0-9_.-]{{0,40}}=)|<(?!/)|\\(?!["'`]))++"""
)
_VALUE = (
    r"""\\["'][^"'\\\n]++\\["']|"(?:[^"\\\n]|\\[^\n])++"|'(?:[^'\\\n]|\\[^\n])++'|`[^`\n]++`|[“„«「『][^\n“„«「『”»」』]++[”“»」』]"""
    rf"""|\\?["'`]?{_BARE}"""
)
_BLANKS = r"[^\S\r\n]{0,8}+"
_MARKS = r"""[\\"'`*_\])]{0,4}+"""
_NEXT_LINE = (
    rf"(?:(?:[|>][+-]?)?{_BLANKS}\r?\n{_INDENT}(?![A-Za-z0-9_.-]{{1,40}}[ ]?[:=：])(?:[-*][ ])?(?![#|>*-]))?"
)
_IS = rf"""{_BLANKS}(?:=>|:=|==?|[:：＝])(?:[\\"'`*_]{{1,4}}+(?=[ \t]))?{_BLANKS}{_NEXT_LINE}"""
_SAID = (
    r"(?:\ (?:for|of|to|on|für|de|pour|para)(?:\ [^\s:=：,.;|]{1,30}+){1,4}?)?"
    rf"(?:\s(?:is|was|ist|es|est|é|это|-|—|–|->|→)\s|\s?(?:是|为|為|は|는|은)\s?|{_BLANKS}[:=：]{_BLANKS})"
)

NAMED: Final = re.compile(
    rf"""(?P<before>(?:(?P<password>{_PASSWORD_WORDS})|(?P<session>sess(?:ion[ _-]?)?id)|(?:{_TOKEN_WORDS}))
        (?:\ ?\([^()\n]{{1,30}}\))?{_MARKS}
        (?:(?P<is>{_IS})|(?P<said>{_SAID})|(?P<cell>{_BLANKS}\|{_BLANKS})|(?P<tag>>)|(?P<flag>[ \t]{{1,8}}+))
    )(?P<value>(?(cell)[^|\n]{{1,200}}?(?=[ \t]*(?:\||$))|(?(tag)[^<>\s=][^<>\n]*+(?=</)|(?:{_VALUE}))))""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_FLAG_BEFORE = re.compile(
    r"(?:(?<![\w-])--?[A-Za-z0-9-]{0,40}|\blogin\s{1,8}\S{1,80}\s{1,8})\Z", re.IGNORECASE
)
_QUOTED = re.compile(r"""((?P<quote>\\?["'`])|[“„«「『]).+((?(quote)(?P=quote)|[”“»」』]))""", re.DOTALL)
_LEAST_CHARS: Final = {"password": 1, "session": 16, "token": 8}

BEARER: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?P<before>(?P<scheme>bearer|basic)\s{1,8}+)(?P<value>[A-Za-z0-9+/_.~=-]{8,}+)",
    re.IGNORECASE,
)
AUTHORIZATION: Final = re.compile(
    rf"""(?P<before>authorization{_MARKS}{_BLANKS}[:=]{_BLANKS}\\?["'`]?"""
    r"""(?:[A-Za-z0-9-]{2,20}+[ ]{1,4}+)?)"""
    r"""(?P<value>[^\s"'`\\]{6,}+)""",
    re.IGNORECASE | re.VERBOSE,
)
COOKIE: Final = re.compile(
    rf"""(?P<before>cookie{_MARKS}{_BLANKS}[:=]{_BLANKS}\\?["'`]?)"""
    r"""(?P<value>[^\s=;,:"'`\\]{1,80}+=[^\s;"'`\\][^\n\r"'`\\]*+)""",
    re.IGNORECASE,
)
URL_USER: Final = re.compile(
    r"(?P<before>://(?:[^\s/:@]{0,100}:(?=[^\s/@])|(?=[^\s/:@]{20})))(?P<value>[^\s/]{1,256})(?=@)"
)
SIGNATURE: Final = re.compile(r"(?P<before>(?<=[?&;])sig=)(?P<value>[A-Za-z0-9%+/_-]{20,}+=*+)")

DIGITS: Final = re.compile(r"[0-9](?<![0-9]{2})(?:[ \u00a0\u2009\u202f.–-]?[0-9]){12,}+")
_GROUP = re.compile(r"[0-9]+")
_CARD_GROUPS = re.compile(r"4 4 4 4(?: [1-3])?|4 4 4 1|4 6 [45]|1[3-9]")


def mask_key(found: re.Match[str]) -> str:
    """A key; of a hook's address, the part that must be known to use it."""
    for name in ("slack", "discord"):
        if found[name]:
            return found[0][: found.start(name) - found.start()] + MASK
    return MASK


def mask_value(found: re.Match[str]) -> str:
    """The value alone, without the quotes around it."""
    value = found["value"].rstrip()
    quotes = _QUOTED.fullmatch(value)
    opening, closing = (quotes[1], quotes[3]) if quotes else ("", "")
    return found["before"] + opening + MASK + closing + found["value"][len(value) :]


def mask_named(found: re.Match[str]) -> str | None:
    """What a name stands before, if it is a secret: "token: see below" is prose."""
    value = found["value"].strip("\"'`\\")
    kind = "password" if found["password"] else "session" if found["session"] else "token"
    is_said = found["is"] is None and found["tag"] is None and found["flag"] is None
    has_digit = any(char.isdigit() for char in value)
    if len(value) < _LEAST_CHARS[kind] or not (has_digit or (kind == "password" and not is_said)):
        return None
    if found["flag"] and not _FLAG_BEFORE.search(found.string, max(0, found.start() - 180), found.start()):
        return None
    return mask_value(found)


def mask_bearer(found: re.Match[str]) -> str | None:
    """What follows the name of a scheme, if it is no word: "a basic understanding" is prose."""
    value = found["value"]
    if found["scheme"].lower() == "basic":
        return mask_value(found) if _is_user_and_password(value) else None
    return mask_value(found) if _is_no_word(value) else None


def mask_authorization(found: re.Match[str]) -> str | None:
    """The credentials of an ``Authorization`` header, whatever the scheme."""
    return mask_value(found) if _is_no_word(found["value"]) else None


def mask_url_user(found: re.Match[str]) -> str | None:
    """The password of a URL, or the token that stands in the user's place."""
    is_password = found["before"].endswith(":")
    return mask_value(found) if is_password or any(char.isdigit() for char in found["value"]) else None


def mask_blob(found: re.Match[str]) -> str | None:
    """Lines of base64 that are not said to be public, nor hashes, one a line."""
    lines = (found["lines"] or "").replace("\\n", " ").split()
    if found["lines"] and not found["end"]:
        if found["label"] and "PRIVATE" not in found["label"]:
            return found[0]
        if len(lines) < 2 or all(_is_hexadecimal(line) for line in lines):
            return None
    return MASK + ("\n" if found[0].endswith("\n") else "")


def mask_cards(found: re.Match[str]) -> str:
    """The payment cards among groups of digits (lengths and check digit of ISO/IEC 7812-1)."""
    text = found[0]
    groups = [(group.start(), group.end()) for group in _GROUP.finditer(text)]
    sizes = [str(end - start) for start, end in groups]
    parts, done, first = [], 0, 0
    while first < len(groups):
        start = groups[first][0]
        for stop in range(min(first + 5, len(groups)), first, -1):
            end = groups[stop - 1][1]
            if _CARD_GROUPS.fullmatch(" ".join(sizes[first:stop])) and _is_card(text[start:end]):
                parts += [text[done:start], MASK]
                done, first = end, stop
                break
        else:
            first += 1
    return "".join([*parts, text[done:]])


def _is_no_word(value: str) -> bool:
    """Whether no language writes such a word: it has a digit, or capitals in a long middle."""
    return any(char.isdigit() for char in value) or (
        len(value) >= 16 and not value[1:].islower() and not value.isupper() and "/" not in value
    )


def _is_user_and_password(value: str) -> bool:
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False


def _is_hexadecimal(line: str) -> bool:
    return not line.strip("0123456789abcdefABCDEF")


def _is_card(text: str) -> bool:
    """Whether it begins as payment cards do, and its check digit is right (ISO/IEC 7812-1, annex B)."""
    digits = [int(char) for char in text if char.isdigit()]
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = digit * 2 if place % 2 else digit
        total += value - 9 if value > 9 else value
    return 2 <= digits[0] <= 6 and total % 10 == 0
