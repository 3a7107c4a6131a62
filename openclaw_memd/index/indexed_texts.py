"""Reading what is to be embedded from the index."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.faults import DamagedError

TextsOf = Callable[[Sequence[bytes]], Awaitable[Mapping[bytes, str]]]
"""Texts by their hashes; those that the index does not know any more are left out."""


async def read_texts(texts_of: TextsOf, hashes: Sequence[bytes]) -> Mapping[bytes, str]:
    """What ``texts_of`` says of ``hashes``.

    Raises:
        UnavailableError: the index cannot be read. That includes damage, which is not for those to mend who
            fill vectors.
    """
    try:
        return await texts_of(hashes)
    except DamagedError as error:
        raise UnavailableError("the index is damaged", reason="damaged") from error
