"""The doctor of one agent's memory: looks at everything, and mends what can be mended without a person."""

from collections.abc import Callable, Sequence
from typing import Final

import trio

from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.doctor import checking, fixing
from openclaw_memd.ops.doctor.all_kinds import KINDS
from openclaw_memd.ops.doctor.findings import Finding, without_names
from openclaw_memd.ops.doctor.fixing import Left, Outcome, Step
from openclaw_memd.ops.doctor.patient import Patient

KEPT_S: Final = 60.0


class Doctor:
    """Sees one patient, one call at a time. ``on_step`` hears what a fix does next."""

    def __init__(self, patient: Patient, *, on_step: Callable[[str], None] = lambda _step: None) -> None:
        self._patient = patient
        self._on_step = on_step
        self._turn = trio.Lock()
        self._last: tuple[float, list[Finding]] | None = None

    async def check(self, *, may_name: bool) -> list[Finding]:
        """Every finding, the worst first; unless ``may_name`` in words that name nothing that is there.

        Who may not be told names cannot make memd look at everything all the time either.
        """
        async with self._turn:  # many who ask at once wait for one look
            findings = None if may_name else self._kept()
            if findings is None:
                findings = await checking.check(self._patient)
                self._last = self._patient.clock.monotonic(), findings
        return findings if may_name else without_names(findings)

    def _kept(self) -> list[Finding] | None:
        if self._last is None or self._patient.clock.monotonic() - self._last[0] >= KEPT_S:
            return None
        return self._last[1]

    async def _look(self) -> list[Finding]:
        return await checking.check(self._patient, only_fixable=True)

    @staticmethod
    def check_ids(ids: Sequence[str] | None) -> None:
        """Refuse ids that no finding can have.

        Raises:
            InvalidParamsError: there is one.
        """
        if any(name.partition(":")[0] not in KINDS for name in ids or ()):
            raise InvalidParamsError("no finding has such an id", field="ids", reason="value")

    async def plan(self, ids: Sequence[str] | None) -> Outcome:
        """What ``fix`` would do now, and what of ``ids`` it would leave; nothing is changed.

        Errors as in ``fix``.
        """
        self.check_ids(ids)
        async with self._turn:
            chosen, left = _choose(await self._look(), ids)
        return Outcome(plan=tuple(_step(finding) for finding in chosen), left=tuple(left))

    async def fix(self, ids: Sequence[str] | None, progress: Progress) -> Outcome:
        """Mend the findings with these ids; all that can be when None. Done again it finds nothing to do.

        Raises:
            InvalidParamsError: an id is of no kind that there is.
        """
        self.check_ids(ids)
        async with self._turn:
            chosen, left = _choose(await self._look(), ids)
            fixed, more = await fixing.fix(self._patient, chosen, progress, on_step=self._on_step)
        return Outcome(tuple(fixed), tuple(_step(finding) for finding in chosen), (*left, *more))


def _choose(findings: Sequence[Finding], ids: Sequence[str] | None) -> tuple[list[Finding], list[Left]]:
    """What is to be fixed, in its order, and what is left with the reason."""
    known = {finding.id: finding for finding in findings}
    if ids is None:
        return fixing.order(findings), []
    left: list[Left] = []
    wanted: list[Finding] = []
    for name in dict.fromkeys(ids):
        finding = known.get(name)
        kind = KINDS[name.partition(":")[0]]
        if kind.remedy is None:
            left.append(Left(name, kind.advice))
        elif finding is None:
            left.append(Left(name, "it is not found now"))
        elif not finding.is_fixable:
            left.append(Left(name, finding.fix))
        else:
            wanted.append(finding)
    return fixing.order(wanted), left


def _step(finding: Finding) -> Step:
    assert finding.kind.remedy is not None
    return Step(finding.id, finding.kind.remedy.value)
