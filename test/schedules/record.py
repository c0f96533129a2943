"""Prints the occurrences that python-dateutil finds for rules made at random: `python record.py > occurrences.json`."""

import json
import random
import signal
from datetime import datetime, timedelta, timezone

from dateutil import tz
from dateutil.rrule import rrulestr

AFTER = datetime(2026, 3, 1, tzinfo=timezone.utc)
ZONES = ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def some(rng, values, most):
    return ",".join(str(v) for v in sorted(rng.sample(list(values), rng.randint(1, most)), key=str))


def rule(rng):
    freq = rng.choice(["YEARLY", "MONTHLY", "MONTHLY", "WEEKLY", "WEEKLY", "DAILY", "DAILY", "HOURLY", "MINUTELY"])
    parts = [f"FREQ={freq}", f"INTERVAL={rng.choice([1, 1, 1, 2, 3, 5, 7] if freq != 'MINUTELY' else [1, 5, 15, 45, 90, 1440])}"]
    def maybe(chance, text):
        if rng.random() < chance:
            parts.append(text())
    maybe(0.35, lambda: "BYDAY=" + some(rng, DAYS, 3))
    maybe(0.2, lambda: "BYMONTH=" + some(rng, range(1, 13), 4))
    if freq in ("MONTHLY", "YEARLY", "DAILY"):
        maybe(0.25, lambda: "BYMONTHDAY=" + some(rng, [*range(1, 29), -1, -2, 31], 3))
    if freq in ("YEARLY", "MONTHLY", "WEEKLY", "DAILY"):
        maybe(0.25, lambda: "BYHOUR=" + some(rng, range(24), 3))
        maybe(0.2, lambda: "BYMINUTE=" + some(rng, range(60), 2))
        maybe(0.1, lambda: "BYSECOND=" + some(rng, range(60), 2))
    text = ";".join(parts)
    if freq == "YEARLY":
        if "BYDAY" not in text and "BYMONTH" not in text:
            choice = rng.random()
            if choice < 0.2:
                parts.append("BYYEARDAY=" + some(rng, [1, 60, 100, 200, 366, -1, -100], 3))
            elif choice < 0.4:
                parts.append("BYWEEKNO=" + some(rng, [1, 2, 20, 52, 53, -1], 2))
            elif choice < 0.5:
                parts.append("BYEASTER=" + str(rng.choice([-2, 0, 1, 49])))
    if freq in ("MONTHLY", "YEARLY", "WEEKLY") and "BYDAY" in text:
        maybe(0.4, lambda: "BYSETPOS=" + some(rng, [1, 2, -1], 2))
    maybe(0.2, lambda: "WKST=" + rng.choice(["SU", "WE"]))
    end = rng.random()
    if end < 0.15:
        parts.append(f"COUNT={rng.randint(1, 300)}")
    elif end < 0.3:
        until = AFTER + timedelta(days=rng.randint(-100, 500), minutes=rng.randint(0, 1440))
        parts.append("UNTIL=" + until.strftime("%Y%m%dT%H%M%SZ"))
    return ";".join(parts)


def occurrences(text, zone):
    found = []
    for index, one in enumerate(rrulestr(text.replace(" ", "\n"), forceset=True)):
        if index > 200_000 or len(found) == 10:
            break
        if not tz.datetime_exists(one):
            continue
        instant = one.astimezone(timezone.utc)
        if instant > AFTER:
            found.append(instant.strftime("%Y-%m-%dT%H:%M:%SZ"))
    return found


def too_long(*_):
    raise TimeoutError


def main():
    signal.signal(signal.SIGALRM, too_long)
    rng = random.Random(5545)
    rows = []
    while len(rows) < 300:
        zone = rng.choice(ZONES)
        start = AFTER + timedelta(days=-rng.choice([1, 3, 20, 40, 200, 900]), minutes=rng.randint(0, 1440))
        if rng.random() < 0.2:
            start = datetime(2026, rng.choice([3, 10]), rng.randint(1, 28), rng.choice([1, 2, 3]), 30)
        head = f"DTSTART:{start:%Y%m%dT%H%M%S}Z" if zone == "UTC" else f"DTSTART;TZID={zone}:{start:%Y%m%dT%H%M%S}"
        rules = [f"RRULE:{rule(rng)}" for _ in range(rng.choice([1, 1, 1, 2]))]
        if rng.random() < 0.15:
            rules.append(f"EXRULE:{rule(rng)}")
        text = " ".join([head, *rules])
        signal.setitimer(signal.ITIMER_REAL, 0.4)
        try:
            rows.append([text, occurrences(text, zone)])
        except (ValueError, TimeoutError):
            continue
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    print("[")
    print(",\n".join(json.dumps(row) for row in rows))
    print("]")


main()
