"""What the tests of the SHEF services share: a busy series of the archive at hand, its readings."""
import datetime
import functools

from archive import HttpTest, sql, table

API = "/api/shef"
RAW = table("hads", "raw")
UTC = datetime.timezone.utc
HOUR = datetime.timedelta(hours=1)
STAMP = """to_char(valid, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""
UNFLAGGED = "none,E,G,M,P,S,T,V,Z"
GOOD = "value > -9999 and value <> 'NaN'"


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def stamp(when):
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@functools.lru_cache(maxsize=None)
def busiest_of(pattern):
    """The station and key with the most values, and the month its last value but one is in."""
    station, key, sts, ets = sql("hads", f"""select station, key, to_char(m, 'YYYY-MM-DD'),
        to_char(m + interval '1 month', 'YYYY-MM-DD') from (select station, key,
        date_trunc('month', max(valid)) as m, count(*) as n from {RAW} where key like '{pattern}'
        and {GOOD} group by 1, 2) t order by n desc, 1, 2 limit 1""")[0]
    return station, key, sts, ets


def month_of(pattern):
    station, key, sts, ets = busiest_of(pattern)
    return {"station": station, "key": key, "sts": sts, "ets": ets}


def readings(station, key, sts, ets):
    """(time, value) in the order of time, of one time the highest first; missing ones left out."""
    rows = sql("hads", f"""select {STAMP}, value from {RAW} where station = '{station}' and
        key = '{key}' and valid >= '{sts}' and valid < '{ets}' and {GOOD} and
        coalesce(qualifier, 'Z') not in ('B', 'R', 'F', 'Q') order by valid, value desc""")
    return [(instant(when), float(value)) for when, value in rows]


def once(series):
    """The first value of each time."""
    seen = {}
    for when, value in series:
        seen.setdefault(when, value)
    return sorted(seen.items())


class ShefTest(HttpTest):
    def near(self, text, want, places=5):
        self.assertAlmostEqual(float(text), float(want), delta=10 ** -places * max(1, abs(want)))

    def whole(self, path, params=None):
        return self.rows(API + path, params)
