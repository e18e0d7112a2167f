"""Fee of a stay in the car park. All times are aware datetimes in UTC, all amounts are cents."""

import math
from datetime import datetime, timedelta

FREE_MINUTES = 15
HOUR_CENTS = 220
CAP_CENTS = 1800
CAP_PERIOD = timedelta(hours=24)


class BadStay(ValueError):
    """The times of a stay make no sense. The terminal shows "Please ask the attendant"."""


def minutes_of(entry: datetime, leave: datetime) -> int:
    """Whole minutes of a stay; a minute that has begun counts."""
    if entry.tzinfo is None or leave.tzinfo is None:
        raise TypeError("times need a zone")
    if leave < entry:
        raise BadStay("the car leaves before it enters")
    return math.ceil((leave - entry).total_seconds() / 60)


def hours_fee(minutes: int) -> int:
    """Every hour that has begun is charged."""
    return math.ceil(minutes / 60) * HOUR_CENTS


def split_by_cap(entry: datetime, leave: datetime) -> list[int]:
    """Minutes of the stay in each period to which the cap applies."""
    parts = []
    start = entry
    while start < leave:
        end = min(start + CAP_PERIOD, leave)
        parts.append(minutes_of(start, end))
        start = end
    return parts


def fee(entry: datetime, leave: datetime) -> int:
    """Fee in cents for a stay from the barrier at the entry to the payment."""
    if minutes_of(entry, leave) <= FREE_MINUTES:
        return 0
    return sum(min(hours_fee(part), CAP_CENTS) for part in split_by_cap(entry, leave))


def receipt(entry: datetime, leave: datetime) -> dict:
    """What the terminal prints."""
    cents = fee(entry, leave)
    return {
        "minutes": minutes_of(entry, leave),
        "fee": f"{cents // 100}.{cents % 100:02d}",
    }
