"""One key from several parts."""


def join_parts(*parts: str) -> str:
    """``parts`` as one text, each after its length: no two lists of parts have the same."""
    return "".join(f"{len(part)}:{part}" for part in parts)
