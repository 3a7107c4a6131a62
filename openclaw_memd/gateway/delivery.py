"""What is to be done once it is known whether an answer reached its caller."""

from collections.abc import Callable
from dataclasses import dataclass, field

Act = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Delivery:
    """The fate of one answer. What is ``afterwards`` is done in any case, what is ``when_lost`` before it if
    the answer was lost, in order, and nothing twice.

    Lost is what the caller has not been sent, for whatever reason: it is gone, or did not ask for an answer.
    """

    afterwards: list[Act] = field(default_factory=list)
    when_lost: list[Act] = field(default_factory=list)

    def end(self, *, sent: bool) -> None:
        """Do what belongs to this end."""
        acts = [*self.afterwards] if sent else [*self.when_lost, *self.afterwards]
        self.afterwards.clear()
        self.when_lost.clear()
        for act in acts:
            act()
