"""Answering a call, and answering it again when it comes with a request key that is known."""

from typing import Any

import msgspec
import trio

from openclaw_memd.gateway.schemas import WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call

_encode = msgspec.json.Encoder().encode


async def answer_once(method: AnyMethod, call: Call, params: Any) -> bytes:
    """The encoded result of the method.

    A write with a request key is done once within 24 hours; while it runs, others with its key wait. The
    answer is kept after the write: when the process ends in between, the write is done again.
    """
    if method.keeps_request_keys or not isinstance(params, WriteParams) or params.request_key is None:
        return _encode(await method.handler(call, params))
    answers = call.services.agent(params.agent_id).first_answers
    async with answers.turn(params.agent_id, method.name, params.request_key) as key:
        first = await answers.find(key)
        if first is not None:
            return _encode({**msgspec.json.decode(first), "repeated": True})
        encoded = _encode(await method.handler(call, params))
        with trio.CancelScope(shield=True):  # it is done, so whoever asks again has to hear so
            await answers.keep(key, encoded.decode())
        return encoded
