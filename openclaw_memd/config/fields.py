"""What the sections of the configuration are made of."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

AgentId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")]
ChatType = Literal["direct", "group", "channel", "unknown"]
Cron = Annotated[str, Meta(max_length=256)]
Text = Annotated[str, Meta(max_length=4096)]
Prompt = Annotated[str, Meta(max_length=65536)]
HeaderName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,128}\Z")]
HeaderValue = Annotated[str, Meta(pattern=r"^[ -~]{0,4096}\Z")]


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file. Its docstring and the descriptions of its keys become the reference."""
