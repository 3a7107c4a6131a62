"""Half a character, which JSON and Python may hold and UTF-8 cannot: a lone surrogate."""


def replace_surrogates(text: str) -> str:
    """``text`` with ``?`` for every lone surrogate, so that it has bytes."""
    return text.encode("utf-8", "replace").decode()
