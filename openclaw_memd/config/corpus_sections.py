"""The sections that say what can be searched: which files, how they are cut, and what embeds them."""

from typing import Annotated, Literal

from msgspec import Meta, field

from openclaw_memd.config.fields import HeaderName, HeaderValue, Section, Text


class ExtraPath(Section, frozen=True):
    """A folder or file outside the usual places that is searched as ``extra/<name>/...``."""

    name: Annotated[
        str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z", description="the virtual folder's name")
    ]
    path: Annotated[
        str, Meta(min_length=1, max_length=4096, description="folder or .md file; ~ is the home folder")
    ]
    pattern: Annotated[str, Meta(min_length=1, max_length=1024, description="glob below the folder")] = (
        "**/*.md"
    )


class Files(Section, frozen=True):
    """Which files are memory and how changes are noticed."""

    extra: Annotated[
        tuple[ExtraPath, ...],
        Meta(max_length=64, description="more places to search: [{name = ..., path = ..., pattern = ...}]"),
    ] = ()
    include: Annotated[
        tuple[Text, ...],
        Meta(max_length=256, description="globs of more Markdown files in the workspace, searched as extra"),
    ] = ()
    exclude: Annotated[
        tuple[Text, ...],
        Meta(max_length=256, description="patterns (gitignore syntax) to leave out, as .memdignore does"),
    ] = ()
    evergreen: Annotated[
        tuple[Text, ...],
        Meta(
            max_length=256,
            description="patterns (gitignore syntax) of dated notes that do not lose rank with age",
        ),
    ] = ()
    debounce_s: Annotated[
        float, Meta(ge=0.05, le=60, description="seconds of quiet after a change before it is indexed")
    ] = 1.5
    reconcile_s: Annotated[
        float, Meta(ge=5, le=86400, description="seconds between full comparisons of disk and index")
    ] = 300


class Chunking(Section, frozen=True):
    """How notes are cut for the index; a change rebuilds it."""

    tokens: Annotated[
        int,
        Meta(
            ge=32, le=2048, description="estimated tokens in a chunk (4 Latin letters or 1 CJK letter each)"
        ),
    ] = 400
    overlap: Annotated[int, Meta(ge=0, le=1024, description="estimated tokens that neighbours share")] = 80


class InputTypes(Section, frozen=True):
    """What some providers want to be told about a text."""

    query: Annotated[Text, Meta(description="value of input_type for queries; empty: none is sent")] = ""
    passage: Annotated[Text, Meta(description="value of input_type for stored text; empty: none is sent")] = (
        ""
    )


class Embedding(Section, frozen=True):
    """Vectors for search by meaning. Keyword search needs none of this."""

    provider: Annotated[
        Literal["auto", "local", "openai", "none"],
        Meta(
            description="auto: local if a model is installed, else keywords only; openai: any compatible API"
        ),
    ] = "auto"
    model: Annotated[
        Text,
        Meta(
            description="local: multilingual-e5-small, minilm or a .gguf file; openai: the API's model name"
        ),
    ] = ""
    base_url: Annotated[Text, Meta(description="openai: the API's address, up to and with /v1")] = ""
    api_key_env: Annotated[Text, Meta(description="openai: environment variable that holds the key")] = ""
    api_key_file: Annotated[Text, Meta(description="openai: file that holds the key")] = ""
    headers: Annotated[
        dict[HeaderName, HeaderValue], Meta(description="openai: more request headers, in ASCII")
    ] = field(default_factory=dict)
    dims: Annotated[
        int, Meta(ge=0, le=8192, description="openai: ask for this many dimensions; 0: the model's own")
    ] = 0
    input_types: Annotated[
        InputTypes,
        Meta(description='openai: {query = "...", passage = "..."} for providers that tell them apart'),
    ] = field(default_factory=InputTypes)
    batch: Annotated[
        int,
        Meta(
            ge=0,
            le=2048,
            description="openai: texts in a request at most; 0: learned from the API's refusals",
        ),
    ] = 0
    threads: Annotated[int, Meta(ge=1, le=64, description="local: threads of the embedding process")] = 1
    idle_unload_s: Annotated[
        float, Meta(ge=5, le=86400, description="local: seconds without work after which the process ends")
    ] = 600
