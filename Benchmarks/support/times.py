"""Moments of starts and arrivals, in whole milliseconds."""

import bisect
import datetime


def milliseconds(text):
    """The UNIX time of a moment as reports have it."""
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def most_within(times, length):
    """The most of some moments, in order, that lie in a window of so many milliseconds."""
    return max((bisect.bisect_left(times, start + length) - index
                for index, start in enumerate(times)), default=0)
