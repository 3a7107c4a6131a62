"""``backup.create``: what it takes, what it answers and how it is served."""

from typing import Annotated, Any

from msgspec import Meta

from openclaw_memd.gateway.results import JobStarted, Result, Written
from openclaw_memd.gateway.schemas import WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.backup.types import Made

LISTED = 200
"""A list in an answer has no more."""


class BackupParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``backup.create``."""

    path: Annotated[
        Annotated[str, Meta(min_length=1, max_length=4096)] | None,
        Meta(
            description="absolute: a new file, or a folder for one, outside workspaces and state; "
            "without it, `backups/` in the data folder"
        ),
    ] = None
    wait: Annotated[bool, Meta(description="answer when it is done")] = True


class LeftOutPath(Result, frozen=True, kw_only=True):
    """Something in a workspace that is not in the archive."""

    path: Annotated[str, Meta(description="relative to the workspace")]
    reason: Annotated[str, Meta(description="a code of the list of reasons")]


class BackupCreated(Written, frozen=True, kw_only=True):
    """An archive of every agent's workspace and ledger, verified by reading it back."""

    path: Annotated[str, Meta(description="absolute")]
    bytes: Annotated[int, Meta(ge=0, description="of the archive")]
    files: Annotated[int, Meta(ge=0, description="of all workspaces")]
    left_out: Annotated[tuple[LeftOutPath, ...], Meta(description="the first 200")] = ()


async def create(call: Call, params: BackupParams) -> Any:
    """``backup.create``."""

    async def work(progress: Progress) -> object:
        return _show(await call.services.backups.create(params.path, progress))

    job = call.services.jobs.start("backup", work, key=f"path {params.path or ''}")
    return await job.wait() if params.wait else JobStarted(job_id=job.id)


def _show(made: Made) -> BackupCreated:
    return BackupCreated(
        path=_printable(str(made.path)),
        bytes=made.bytes,
        files=made.files,
        left_out=tuple(
            LeftOutPath(path=_printable(one.path), reason=one.reason) for one in made.left_out[:LISTED]
        ),
    )


def _printable(path: str) -> str:
    """A path whose odd bytes, which JSON cannot hold, are shown as ``\\xNN``."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="backup.create",
        right="A",
        pace="job",
        params=BackupParams,
        results=(BackupCreated, JobStarted),
        handler=create,
        summary="Archive every agent's files and ledger as they are at one moment.",
        example={},
    ),
)
