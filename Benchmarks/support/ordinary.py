"""Lists as people have them, and a provider in trouble."""

import collections
import csv

GOOD, DEAD, BAD = "0000", "dead", "bad0"
# Requests between two events of a kind; together they come about every 2,000 answers.
LOWER, RAISE, LEAVE, CUT = 7001, 7919, 9973, 29989


def mark(source, target, dead, bad):
    """The rows with the tokens of some per cent made dead or bad, spread evenly. Returns the counts, too."""
    counts = collections.Counter()
    with open(source, newline="") as lines, open(target, "w", newline="") as marked:
        rows = csv.reader(lines)
        writer = csv.writer(marked, lineterminator="\n")
        writer.writerow(next(rows))
        for index, (token, *rest) in enumerate(rows):
            # 997 has no factor of a hundred: the kinds are mixed, and as many as asked for.
            place = index * 997 % 10_000 / 100
            kind = DEAD if place < dead else BAD if place < dead + bad else None
            counts[kind] += 1
            writer.writerow([(kind or GOOD) + token[4:], *rest])
    return target, counts


def trouble(streams):
    """Rules for the simulator: it halves its stream limit now and then and raises it again, tells connections to go
    (GOAWAY), and cuts others without a word."""
    return [
        {"when": {"tokenPrefix": GOOD, "everyNth": LOWER}, "then": {"maxConcurrentStreams": streams // 2}},
        {"when": {"tokenPrefix": GOOD, "everyNth": RAISE}, "then": {"maxConcurrentStreams": streams}},
        {"when": {"tokenPrefix": GOOD, "everyNth": LEAVE}, "then": {"goaway": "graceful"}},
        {"when": {"tokenPrefix": GOOD, "everyNth": CUT}, "then": {"closeConnection": True}},
    ]
