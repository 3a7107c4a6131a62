"""The vectors of a chunk's lines, packed to a byte a dimension.

Layout of a blob, little-endian: uint32 number of lines, uint32 dimensions, one float32 scale for each line,
then the int8 values line by line. A value times its line's scale is the vector; a line without a vector
(a blank one) has scale 0.
"""

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

_HEADER: Final = struct.Struct("<II")
_SCALE: Final = np.dtype("<f4")
_STEPS: Final = 127

Vectors = NDArray[np.float32]


def encode_lines(vectors: Vectors) -> bytes:
    """``vectors`` [lines, dims] as a blob; no value moves by more than half of a 127th of its line's largest.

    Raises:
        ValueError: a value is not finite.
    """
    if not np.isfinite(vectors).all():
        raise ValueError("a line vector that is not finite")
    lines, dims = vectors.shape
    scales = (np.abs(vectors).max(axis=1, initial=0.0) / _STEPS).astype(_SCALE)
    scales[scales < np.finfo(np.float32).tiny] = 0.0  # too small to divide by
    divisors = np.where(scales > 0, scales, np.float32(1.0))
    values = np.where(scales[:, None] > 0, np.rint(vectors / divisors[:, None]), 0.0)
    packed = np.clip(values, -_STEPS, _STEPS).astype(np.int8)
    return b"".join((_HEADER.pack(lines, dims), scales.tobytes(), packed.tobytes()))


def decode_lines(blob: bytes) -> Vectors:
    """The vectors [lines, dims] of a blob.

    Raises:
        ValueError: the blob is not one that ``encode_lines`` made.
    """
    if len(blob) < _HEADER.size:
        raise ValueError("a line vector blob without a header")
    lines, dims = _HEADER.unpack_from(blob)
    if len(blob) != _HEADER.size + lines * (_SCALE.itemsize + dims):
        raise ValueError("a line vector blob of a wrong length")
    scales = np.frombuffer(blob, dtype=_SCALE, count=lines, offset=_HEADER.size)
    if not np.isfinite(scales).all():
        raise ValueError("a line vector blob with a scale that is not finite")
    values = np.frombuffer(blob, dtype=np.int8, offset=_HEADER.size + scales.nbytes).reshape(lines, dims)
    return values * scales[:, None]
