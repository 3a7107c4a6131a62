"""The sections on what is said in sessions: which transcripts are read, and what never enters memory."""

from typing import Annotated, Literal

from msgspec import Meta

from openclaw_memd.config.fields import AgentId, ChatType, Section, Text


class SessionFolder(Section, frozen=True):
    """A folder of transcripts that is read as it grows."""

    path: Annotated[str, Meta(min_length=1, max_length=4096, description="the folder")]
    format: Annotated[Literal["openclaw", "claude-code"], Meta(description="the transcripts' format")] = (
        "openclaw"
    )
    agent: Annotated[AgentId, Meta(description="the agent they belong to")] = "main"
    owner: Annotated[
        Literal["metadata", "local-user"],
        Meta(description="who plain user records are: as metadata says, or the owner of this machine"),
    ] = "metadata"
    network_tools: Annotated[
        tuple[Text, ...], Meta(max_length=256, description="tools whose results come from the network")
    ] = ()


class Sessions(Section, frozen=True):
    """Transcripts."""

    cross_conversation: Annotated[
        bool, Meta(description="let the owner's direct chats search one another")
    ] = False
    archives: Annotated[bool, Meta(description="keep reset and archived transcripts searchable")] = False
    folders: Annotated[tuple[SessionFolder, ...], Meta(max_length=64, description="folders to watch")] = ()


class Admission(Section, frozen=True):
    """What never enters memory."""

    exclude_channels: Annotated[
        tuple[Text, ...],
        Meta(
            max_length=1024,
            description="provider, provider:account or provider:account:conversation; * is any part",
        ),
    ] = ()
    exclude_chat_types: Annotated[
        tuple[ChatType, ...],
        Meta(max_length=4, description="kinds of chat"),
    ] = ()
    exclude_participants: Annotated[tuple[Text, ...], Meta(max_length=1024, description="sender ids")] = ()
    exclude_sessions: Annotated[
        tuple[Text, ...], Meta(max_length=1024, description="globs of session ids")
    ] = ()
    owner_in_groups: Annotated[bool, Meta(description="the owner keeps the owner's rights in groups")] = False
