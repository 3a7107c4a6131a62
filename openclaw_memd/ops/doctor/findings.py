"""One finding, and lists of them. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.ops.doctor.all_kinds import KINDS
from openclaw_memd.ops.doctor.kind_definition import SEVERITIES, Kind, Severity

NAMED: Final = 5
"""So many names stand in one sentence; the others are counted."""

EACH: Final = 50
"""So many findings of one kind are listed; the others are counted in one more."""

MORE: Final = "more"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found. ``subject`` tells apart findings of one kind, such as a path; '' where there is one.

    ``place`` is where a remedy works, which may be more than may be shown. ``by_hand`` says what a person has
    to do where the doctor cannot do what it does for others of the kind.
    """

    kind: Kind
    subject: str
    severity: Severity
    detail: str
    place: str = ""
    by_hand: str = ""

    @classmethod
    def of(
        cls,
        kind: str,
        detail: str | None = None,
        *,
        subject: str = "",
        severity: Severity | None = None,
        place: str = "",
        by_hand: str = "",
    ) -> Self:
        """A finding of the kind with this id; without ``detail`` it says what all of its kind say."""
        found = KINDS[kind]
        told = detail or found.meaning
        return cls(found, mask_secrets(subject), severity or found.severity, told, place, by_hand)

    @property
    def id(self) -> str:
        """The same each time the same thing is found."""
        return f"{self.kind.id}:{self.subject}" if self.subject else self.kind.id

    @property
    def fix(self) -> str:
        """What to do."""
        return self.by_hand or self.kind.advice

    @property
    def is_fixable(self) -> bool:
        """Whether the doctor can do it."""
        return self.kind.remedy is not None and not self.by_hand


def arrange(findings: Iterable[Finding]) -> list[Finding]:
    """Each once, the worst first; of one kind and severity as many as people read, the others counted."""
    unique = {finding.id: finding for finding in findings}
    ordered = sorted(unique.values(), key=lambda one: (SEVERITIES.index(one.severity), one.id))
    seen: Counter[tuple[str, Severity]] = Counter()
    kept: list[Finding] = []
    for finding in ordered:
        seen[finding.kind.id, finding.severity] += 1
        if finding.is_fixable or seen[finding.kind.id, finding.severity] <= EACH:
            kept.append(finding)
    for (kind, severity), count in seen.items():
        if count > EACH and KINDS[kind].remedy is None:
            told = f"{count - EACH:,} more of this kind are not listed. {KINDS[kind].meaning}"
            kept.append(Finding.of(kind, told, subject=MORE, severity=severity))
    return sorted(kept, key=lambda one: (SEVERITIES.index(one.severity), one.id))


def without_names(findings: Iterable[Finding]) -> list[Finding]:
    """The same for somebody who may not know what there is: one of each kind, in general words."""
    worst: dict[str, Finding] = {}
    for finding in findings:
        known = worst.get(finding.kind.id)
        if known is None or SEVERITIES.index(finding.severity) < SEVERITIES.index(known.severity):
            worst[finding.kind.id] = Finding.of(finding.kind.id, severity=finding.severity)
    return arrange(worst.values())


def name_some(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are, for a sentence. Secrets in them are masked."""
    shown = ", ".join(mask_secrets(name) for name in names[:NAMED])
    more = len(names) - NAMED
    return f"{shown} and {more:,} more" if more > 0 else shown


def begin_sentence(text: str) -> str:
    """``text`` with a capital letter at its start."""
    return text[:1].upper() + text[1:]


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
