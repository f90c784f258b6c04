"""A list as lists are, with dead and malformed tokens, and the outcomes that its rows must have."""

import csv
import re

from . import result

# Of twenty rows one has a dead token, and of a hundred one has a token that none can be.
DEAD_EACH, MALFORMED_EACH = 20, 100
DEAD, MALFORMED = "dead", "no no"
DEAD_RULE = {"when": {"tokenPrefix": DEAD}, "then": {"outcome": "unregistered"}}


def token(number, length):
    kind = MALFORMED if number % MALFORMED_EACH == 7 else DEAD if number % DEAD_EACH == 3 else ""
    return f"{kind}{number:0{length - len(kind)}d}"


def check_report(path, rows):
    """Ends the script unless each row has the outcome that its token has, in one line of the report."""
    places = bytearray(rows)
    with open(path, newline="") as report:
        for line in csv.DictReader(report):
            number = int(re.sub("[^0-9]", "", line["token"]))
            kind = line["token"].rstrip("0123456789")
            expected = {DEAD: "unregistered", MALFORMED: "invalid", "": "accepted"}[kind]
            if line["outcome"] != expected:
                raise SystemExit(f"row {line['row']}: {line['outcome']} in place of {expected}")
            places[number] += 1
    if bytes(places) != b"\1" * rows:
        raise SystemExit("not every row is in the report once")


def show(case, samples, digits):
    """Prints a case, and returns what is kept of its samples."""
    found = {key: result.spread([one[key] for one in samples]) for key in samples[0]}
    print(f"{case}:")
    for key, count in digits.items():
        value = found[key]
        print(f"  {key:19} {value['median']:,.{count}f} "
              f"({value['min']:,.{count}f}–{value['max']:,.{count}f})", flush=True)
    return found
