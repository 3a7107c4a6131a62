"""One key from several parts."""


def join_parts(*parts: str) -> str:
    """``parts`` as one text, each after its length: no two lists of parts have the same."""
    return "".join(f"{len(part)}:{part}" for part in parts)


def split_parts(joined: str) -> list[str]:
    """The parts of a text that ``join_parts`` made."""
    parts = []
    while joined:
        size, _, rest = joined.partition(":")
        parts.append(rest[: int(size)])
        joined = rest[int(size) :]
    return parts
