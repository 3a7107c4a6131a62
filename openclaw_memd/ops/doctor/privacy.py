"""Where texts lie, and who else gets to see them. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from openclaw_memd.config.schema import Config
from openclaw_memd.ops.doctor.findings import Finding

_OPENAI: Final = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Provider:
    """Who gets texts. ``section`` is its section of the configuration, ``texts`` what it is sent."""

    section: str
    address: str
    texts: str

    @property
    def host(self) -> str:
        """The machine that it is on."""
        return urlsplit(self.address).hostname or "an unknown host"

    @property
    def is_here(self) -> bool:
        """Whether that is this machine."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def providers_of(config: Config, agent: str) -> Iterator[Provider]:
    """The remote providers that an agent is configured for."""
    embedding = config.embedding
    if embedding.provider == "openai":
        yield Provider("embedding", embedding.base_url or _OPENAI, "every chunk of memory, and each question")
    model = config.agents[agent].model
    if model.provider == "openai":
        yield Provider("model", model.base_url or _OPENAI, "what deep recall and the nights look at")


def key_files(config: Config, agent: str) -> Iterator[tuple[str, Path]]:
    """The files that hold keys, each with the key of the configuration that names it."""
    sections = (("embedding", config.embedding), ("model", config.agents[agent].model))
    for name, section in sections:
        if section.api_key_file:
            yield f"{name}.api_key_file", Path(section.api_key_file).expanduser()


def judge_privacy(
    config: Config, agent: str, *, workspace: Path, state: Path, backups: Path
) -> Iterator[Finding]:
    """Who sees what."""
    kept = [
        f"{workspace} (the notes and curated files)",
        f"{state} (the index, earlier versions, what was said in sessions, what waits to be written)",
    ]
    if backups.is_dir():
        kept.append(f"{backups} (backups)")
    kept += [f"{folder.path} (transcripts)" for folder in config.sessions.folders if folder.agent == agent]
    yield Finding.of("text-in-clear", f"Texts lie in clear in {'; '.join(kept)}.")
    for provider in providers_of(config, agent):
        if provider.is_here:
            continue
        told = f"{provider.host} ([{provider.section}]) is sent {provider.texts}; secrets are masked before."
        yield Finding.of("text-leaves", told, subject=provider.section)
        if urlsplit(provider.address).scheme != "https":
            told = f"The way to {provider.host} ([{provider.section}]) is not encrypted."
            yield Finding.of("text-unencrypted", told, subject=provider.section)
    if config.agents[agent].model.provider == "runtime":
        told = "The runtime that is attached gets what deep recall and the nights look at, for its own model."
        yield Finding.of("text-leaves", told, subject="runtime")
