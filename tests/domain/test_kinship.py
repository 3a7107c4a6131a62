import pytest

from openclaw_memd.domain.kinship import inherited_kind, lineage
from openclaw_memd.domain.provenance import SessionKind as Kind


@pytest.mark.parametrize(
    ("own", "above", "kind"),
    [
        (Kind.INTERACTIVE, [], Kind.INTERACTIVE),
        (Kind.UNKNOWN, [], Kind.UNKNOWN),
        (Kind.UNKNOWN, [Kind.INTERACTIVE], Kind.UNKNOWN),
        (Kind.INTERACTIVE, [Kind.UNKNOWN], Kind.INTERACTIVE),
        (Kind.INTERACTIVE, [Kind.SUBAGENT], Kind.SUBAGENT),
        (Kind.SUBAGENT, [Kind.INTERACTIVE, Kind.CRON], Kind.CRON),
        (Kind.SUBAGENT, [Kind.HEARTBEAT], Kind.HEARTBEAT),
        (Kind.HEARTBEAT, [Kind.CRON], Kind.CRON),
        (Kind.CRON, [Kind.INTERACTIVE], Kind.CRON),
    ],
)
def test_kinds_pass_to_descendants(own: Kind, above: list[Kind], kind: Kind) -> None:
    assert inherited_kind(own, iter(above)) is kind


def test_a_lineage_ends_at_what_is_not_known_and_in_a_circle() -> None:
    parents = {"a": "b", "b": "c", "x": "y", "y": "x", "self": "self"}
    assert list(lineage("a", parents.get)) == ["a", "b", "c"]
    assert list(lineage("x", parents.get)) == ["x", "y"]
    assert list(lineage("self", parents.get)) == ["self"]
    assert list(lineage("alone", parents.get)) == ["alone"]
