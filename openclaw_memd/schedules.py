"""When a cron expression comes due next."""

from datetime import UTC, datetime

from cronsim import CronSim, CronSimError


def next_time(expression: str, after: datetime) -> datetime | None:
    """The first time after the aware ``after`` that ``expression`` names in its zone, in UTC; None: never.

    An hour that clocks skip is made up for at once and one that they repeat counts once, as Debian's cron
    has it.

    Raises:
        ValueError: it is no cron expression.
    """
    try:
        # In an hour that clocks repeat, the library begins with what was in the hour before. Times of one
        # zone are compared by what clocks show, so they are compared in UTC.
        times = (time.astimezone(UTC) for time in CronSim(expression, after))
        return next((time for time in times if time > after.astimezone(UTC)), None)
    except CronSimError as error:
        if "day-of-month" in str(error):  # such as the 30th of February: well formed, and never there
            return None
        raise ValueError(str(error)) from None
