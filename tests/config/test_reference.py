import tomllib
from pathlib import Path

from openclaw_memd.config.load import check
from openclaw_memd.config.reference import example_toml, reference_markdown
from openclaw_memd.config.schema import Config

ROOT = Path(__file__).parents[2]


def test_the_example_is_the_default_configuration() -> None:
    assert check(tomllib.loads(example_toml())) == Config()


def test_the_example_is_complete() -> None:
    def keys(value: object, prefix: str = "") -> set[str]:
        if not isinstance(value, dict):
            return {prefix}
        return set().union(*(keys(item, f"{prefix}.{key}") for key, item in value.items())) or {prefix}

    written = keys(tomllib.loads(example_toml()))
    for section, struct in Config.__annotations__.items():
        for key in getattr(struct, "__struct_fields__", ()):
            assert any(name.startswith(f".{section}.{key}") for name in written), f"{section}.{key}"


def test_the_committed_files_are_the_generated_ones() -> None:
    assert (ROOT / "config.example.toml").read_text(encoding="utf-8") == example_toml()
    assert (ROOT / "docs/configuration.md").read_text(encoding="utf-8") == reference_markdown()
