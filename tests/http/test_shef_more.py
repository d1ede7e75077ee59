"""latest, inventory, elements, summary and exceed of the SHEF archive.

test_truth_* compare answers with values recomputed by plain SQL, or in Python from the rows of the
table. Archives differ, so most take their station from the archive at hand.
"""
import collections
import datetime
import functools
import os
import zoneinfo

from archive import HttpTest, READERS, request, sql, table

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


class Latest(ShefTest):
    def newest(self, condition):
        return sql("hads", f"""select distinct on (station, key, depth) station, key, {STAMP},
            value, depth from {RAW} where {condition} order by station, key, depth, valid desc,
            case when qualifier in ('B', 'R') then 2 when qualifier in ('F', 'Q') then 1 else 0 end,
            value desc""")

    def compare(self, params, condition):
        rows = self.whole("/latest", params)
        want = [r[:3] for r in self.newest(condition)]
        got = [[r["station"], r["key"], r["valid"]] for r in rows]
        self.assertEqual(sorted(got), sorted(want))
        self.assertEqual(got, sorted(got))
        values = {tuple(r[:3]) + (r[4],): r[3] for r in self.newest(condition)}
        for row in rows:
            text = values[row["station"], row["key"], row["valid"], row["depth"]]
            if text != "NaN":
                self.near(row["value"], float(text))
        return rows

    def test_truth_newest_values_of_all_stations(self):
        last = sql("hads", f"select {STAMP} from {RAW} where valid < now() order by valid desc "
                   "limit 1")[0][0]
        rows = self.compare({}, f"valid >= timestamptz '{last}' - interval '30 days' and "
                            f"valid <= '{last}'")
        self.assertGreater(len(rows), 0)

    def test_truth_as_of_an_earlier_time(self):
        station, _, sts, _ = busiest_of("HG%")
        ets = stamp(instant(sts + "T00:00:00Z") + datetime.timedelta(days=1, hours=5))
        rows = self.compare({"station": station, "ets": ets, "days": 2},
                            f"station = '{station}' and valid < '{ets}' and "
                            f"valid >= timestamptz '{ets}' - interval '2 days'")
        self.assertTrue(all(r["valid"] < ets for r in rows))

    def test_one_row_for_each_key(self):
        station = busiest_of("HG%")[0]
        rows = self.whole("/latest", {"station": station, "days": 4000, "units": "metric"})
        keys = [(r["key"], r["depth"]) for r in rows]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertTrue(all(r["unit"] == "m" for r in rows if r["key"].startswith("HG")))

    def test_limit_and_columns(self):
        answer = self.ok(API + "/latest", {"days": 4000, "limit": 2, "vars": "value,element,lon"})
        lines = answer.text.splitlines()
        self.assertEqual(lines[0], "station,key,value,element,lon")
        self.assertEqual(len(lines), 3)
        self.assertEqual(answer.headers["X-Truncated"], "true")


class Inventory(ShefTest):
    def compare(self, params, condition):
        rows = self.whole("/inventory", params)
        want = sql("hads", f"""select station, key, {STAMP.replace('valid', 'min(valid)')},
            {STAMP.replace('valid', 'max(valid)')}, count(*) from {RAW} where {condition}
            group by 1, 2""")
        got = [[r["station"], r["key"], r["first"], r["last"], r["count"]] for r in rows]
        self.assertEqual(sorted(got), sorted(want))
        self.assertEqual(got, sorted(got))
        return rows

    def test_truth_whole_archive(self):
        self.assertGreater(len(self.compare({}, "true")), 5)

    def test_truth_which_stations_report_a_key(self):
        rows = self.compare({"key": "HGIRG*"}, "key like 'HGIRG%'")
        self.assertEqual({r["element"] for r in rows}, {"River stage"})

    def test_truth_within_a_window(self):
        _, _, sts, ets = busiest_of("PC%")
        self.compare({"pe": "PC,PP", "sts": sts, "ets": ets},
                     f"key ~ '^P[CP]' and valid >= '{sts}' and valid < '{ets}'")

    def test_parts_of_the_key(self):
        for row in self.whole("/inventory"):
            parts = [row[n] for n in ("pe", "duration", "type", "source", "extremum",
                                      "probability")]
            self.assertEqual("".join(parts), row["key"])

    def test_a_station_without_values(self):
        ids = {r[0] for r in sql("hads", f"select distinct station from {RAW}")}
        other = [r[0] for r in sql("mesosite", f"select id from {table('mesosite', 'stations')} "
                                   "where network like '%ASOS' order by id") if r[0] not in ids][0]
        self.assertEqual(self.whole("/inventory", {"station": other}), [])


class Elements(ShefTest):
    def reference(self, name):
        path = os.path.join(os.environ.get("OBSTREAM_SHARED", ""), "reference", name)
        if not os.path.exists(path):
            self.skipTest(f"{path} is not here")
        with open(path, encoding="latin-1") as lines:
            return [line.rstrip("\n") for line in lines]

    def rows_of(self, name):
        return {r["code"]: r for r in self.whole("/elements", {"table": name})}

    def test_tables(self):
        rows = self.whole("/elements")
        self.assertEqual(list(dict.fromkeys(r["table"] for r in rows)),
                         ["element", "duration", "type", "extremum", "probability", "qualifier"])
        counts = collections.Counter(r["table"] for r in rows)
        self.assertGreater(counts["element"], 180)
        self.assertGreater(counts["type"], 300)
        self.assertEqual(len({(r["table"], r["code"]) for r in rows}), len(rows))

    def test_truth_units_of_the_manual(self):
        """Physical constants, not taken from any table of ours."""
        rows = self.rows_of("element")
        for pe, unit, metric, value, want in (
                ("HG", "ft", "m", 10, 3.048), ("PP", "in", "mm", 2, 50.8),
                ("QR", "kcfs", "m3/s", 1, 28.316846592), ("TA", "degF", "degC", 212, 100),
                ("SD", "in", "cm", 10, 25.4), ("US", "mph", "m/s", 1, 0.44704)):
            row = rows[pe]
            self.assertEqual((row["unit"], row["metric_unit"]), (unit, metric))
            self.near(float(row["metric_scale"]) * value + float(row["metric_offset"]), want, 9)
        self.assertEqual(rows["PP"]["default_duration"], "D")
        self.assertEqual((rows["PC"]["total"], rows["PP"]["total"], rows["HG"]["total"]),
                         ("increment", "sum", ""))

    def test_truth_default_durations_of_table_7(self):
        rows = self.rows_of("element")
        for line in self.reference("shef_table7.txt"):
            fields = line.split()
            if len(fields) == 2 and fields[0] in rows:
                self.assertEqual(rows[fields[0]]["default_duration"], fields[1], line)

    def test_truth_codes_that_decoders_know(self):
        lines = self.reference("shefparm.txt")
        starts = {line[:2]: i for i, line in enumerate(lines) if line.startswith("*")}
        for mark, name in (("*1", "element"), ("*2", "duration"), ("*3", "type"),
                           ("*4", "extremum"), ("*5", "probability")):
            known, first = self.rows_of(name), starts[mark] + 1
            last = next(i for i in range(first, len(lines)) if lines[i].startswith("*"))
            codes = {line[:2].strip() for line in lines[first:last]
                     if line.strip() and not line.startswith("$")}
            self.assertGreater(len(codes), 10)
            self.assertLessEqual(len(codes - set(known)), len(codes) // 10,
                                 f"{name}: {sorted(codes - set(known))}")

    def test_durations(self):
        rows = self.rows_of("duration")
        self.assertEqual({c: rows[c]["seconds"] for c in "UCHQDIV"},
                         {"U": "60", "C": "900", "H": "3600", "Q": "21600", "D": "86400", "I": "",
                          "V": ""})

    def test_formats(self):
        for form, reader in READERS.items():
            if form != "geojson":
                answer = self.ok(API + "/elements", {"table": "duration", "format": form})
                self.assertEqual(len(reader(answer.text)), 25)


class Summary(ShefTest):
    def plain(self, zone, by, condition):
        """What the statistics are by SQL, in one zone."""
        local = f"date_trunc('{by}', valid at time zone '{zone}')"
        return {(r[0], r[1], r[2]): r[3:] for r in sql("hads", f"""select station, key,
            to_char({local}, 'YYYY-MM-DD"T"HH24:MI'), count(*), min(value), max(value),
            avg(value::float8), coalesce(min(depth), -1) from {RAW} where {condition} and {GOOD}
            group by station, key, coalesce(depth, -1), {local}""")}

    def compare(self, params, zone, by, condition):
        rows = [r for r in self.whole("/summary", {**params, "by": by}) if r["count"] != "0"]
        want = self.plain(zone, by, condition)
        length = {"hour": 16, "day": 10, "month": 7, "year": 4}[by]
        self.assertEqual(len(rows), len(want))
        for row in rows:
            self.assertEqual(row["timezone"], zone)
            local = instant(row["valid"]).astimezone(zoneinfo.ZoneInfo(zone))
            self.assertEqual(local.strftime("%Y-%m-%dT%H:%M")[:length], row["period"])
            count, low, high, mean, _ = want[row["station"], row["key"],
                                             local.strftime("%Y-%m-%dT%H:%M")]
            self.assertEqual(row["count"], count)
            for name, value in (("min", low), ("max", high), ("mean", mean)):
                self.near(row[name], float(value))
        order = [(r["station"], r["valid"], r["key"]) for r in rows]
        self.assertEqual(order, sorted(order))
        return rows

    def test_truth_days_of_all_keys(self):
        station, _, sts, ets = busiest_of("HG%")
        self.compare({"station": station, "sts": sts, "ets": ets, "tz": "UTC"}, "UTC", "day",
                     f"station = '{station}' and valid >= '{sts}' and valid < '{ets}'")

    def test_truth_hours_of_a_local_clock(self):
        """Without hours that a clock which is put back has twice: SQL lumps them."""
        station, key, sts, _ = busiest_of("HG%")
        sts = f"{sts[:7]}-10" if sts[5:7] == "11" else sts
        ets = (datetime.date.fromisoformat(sts) + datetime.timedelta(days=12)).isoformat()
        self.compare({"station": station, "key": key, "sts": sts + "T00:00Z",
                      "ets": ets + "T00:00Z", "tz": "Asia/Kolkata"}, "Asia/Kolkata", "hour",
                     f"station = '{station}' and key = '{key}' and valid >= '{sts}' and "
                     f"valid < '{ets}'")

    def test_truth_months_of_the_whole_archive(self):
        self.compare({"tz": "America/Chicago"}, "America/Chicago", "month", "true")

    def test_truth_years(self):
        self.compare({"pe": "TA", "tz": "UTC"}, "UTC", "year", "key like 'TA%'")

    def test_truth_the_station_s_own_zone(self):
        station, key, sts, ets = busiest_of("HG%")
        zone = sql("mesosite", f"select tzname from {table('mesosite', 'stations')} where "
                   f"id = '{station}' limit 1")[0][0]
        self.compare({"station": station, "key": key, "sts": sts, "ets": ets}, zone, "day",
                     f"station = '{station}' and key = '{key}' and valid >= '{sts}' and "
                     f"valid < '{ets}'")

    def test_truth_first_and_last(self):
        params = month_of("HG%")
        series = once(readings(**params))
        for row in self.whole("/summary", {**params, "by": "day", "tz": "UTC",
                                           "qualifier": UNFLAGGED}):
            day = [v for t, v in series if stamp(t)[:10] == row["period"]]
            self.near(row["first"], day[0])
            self.near(row["last"], day[-1])

    def differences(self, series, period, max_gap):
        """Increment, resets and gaps by period, the obvious way."""
        out = collections.defaultdict(lambda: [None, 0, 0])
        for i, (when, value) in enumerate(series):
            row = out[period(when)]
            if i == 0 or when - series[i - 1][0] > max_gap:
                row[2] += 1
            elif value < series[i - 1][1]:
                row[1] += 1
            else:
                row[0] = (row[0] or 0) + value - series[i - 1][1]
        return out

    def increments(self, by, max_gap, length):
        station, key, sts, ets = busiest_of("PC%")
        begin = instant(sts + "T00:00:00Z")
        reach = datetime.timedelta(days=3)
        series = once(readings(station, key, stamp(begin - reach), ets))
        want = self.differences(series, lambda t: stamp(t)[:length], max_gap * HOUR)
        rows = self.whole("/summary", {"station": station, "key": key, "sts": sts, "ets": ets,
                                       "by": by, "tz": "UTC", "max_gap": max_gap,
                                       "qualifier": UNFLAGGED})
        self.assertGreater(len(rows), 0)
        for row in rows:
            total, resets, gaps = want[row["period"][:length]]
            self.assertEqual((row["resets"], row["gaps"]), (str(resets), str(gaps)), row)
            if total is None:
                self.assertEqual(row["increment"], "")
            else:
                self.near(row["increment"], total, 4)

    def test_truth_increments_by_day(self):
        self.increments("day", 25, 10)

    def test_truth_increments_by_hour(self):
        self.increments("hour", 3, 13)

    def test_truth_sums_of_hourly_rain(self):
        params = month_of("PPH%")
        series = once(readings(**params))
        want = collections.defaultdict(float)
        for when, value in series:
            want[stamp(when)[:10]] += value if value > 0.001 else 0
        rows = self.whole("/summary", {**params, "by": "day", "tz": "UTC",
                                       "qualifier": UNFLAGGED})
        for row in rows:
            total = want[row["period"]]
            self.near(row["sum"], total if total > 0 or float(row["max"]) == 0 else 0.0001)
            self.assertEqual(row["increment"], "")

    def test_increments_do_not_depend_on_the_window(self):
        station, key, sts, ets = busiest_of("PC%")
        base = {"station": station, "key": key, "tz": "UTC", "by": "day"}
        whole = self.whole("/summary", {**base, "sts": sts, "ets": ets})
        parts, day = [], datetime.date.fromisoformat(sts)
        while day.isoformat() < ets:
            nxt = day + datetime.timedelta(days=5)
            parts += self.whole("/summary", {**base, "sts": day.isoformat(),
                                             "ets": min(nxt.isoformat(), ets)})
            day = nxt
        self.assertEqual(parts, whole)

    def test_metric(self):
        params = {**month_of("HG%"), "by": "month", "tz": "UTC"}
        us, metric = (self.whole("/summary", {**params, "units": u})[0] for u in ("native",
                                                                                "metric"))
        self.assertEqual((us["unit"], metric["unit"]), ("ft", "m"))
        for name in ("min", "max", "mean"):
            self.assertAlmostEqual(float(metric[name]), float(us[name]) * 0.3048, delta=2e-5)

    def test_limit_and_formats(self):
        params = {**month_of("HG%"), "by": "hour", "limit": 3}
        for form in READERS:
            answer = self.ok(API + "/summary", {**params, "format": form})
            self.assertEqual(len(READERS[form](answer.text)), 3)


class SummaryMade(ShefTest):
    """Made-up archives have whole years: clocks change, accumulators are reset in October."""
    archives = ("synth",)

    def test_truth_days_of_23_and_25_hours(self):
        station, key, _, _ = busiest_of("TAIRGZZ")
        year = sql("hads", f"select max(date_part('year', valid))::int from {RAW} where "
                   f"station = '{station}' and valid < now() - interval '30 days'")[0][0]
        zone = zoneinfo.ZoneInfo("America/Chicago")
        rows = {r["period"]: r for r in self.whole("/summary", {
            "station": station, "key": key, "by": "day", "tz": "America/Chicago",
            "sts": year + "-01-02", "ets": year + "-12-30"})}
        lengths = collections.Counter()
        for day, row in rows.items():
            start = datetime.datetime.fromisoformat(day).replace(tzinfo=zone)
            end = (datetime.datetime.fromisoformat(day) +
                   datetime.timedelta(days=1)).replace(tzinfo=zone)
            count = sql("hads", f"select count(*) from {RAW} where station = '{station}' and "
                        f"key = '{key}' and {GOOD} and valid >= '{stamp(start)}' and "
                        f"valid < '{stamp(end)}'")[0][0] if day[5:7] in ("03", "11") else None
            if count is not None:
                self.assertEqual(row["count"], count, day)
            self.assertEqual(row["valid"], stamp(start))
            lengths[(end.astimezone(UTC) - start.astimezone(UTC)) // HOUR] += 1
        self.assertEqual((lengths[23], lengths[25]), (1, 1))

    def test_truth_a_year_of_increments_and_a_reset(self):
        station, key, year = sql("hads", f"""select station, key, to_char(valid, 'YYYY') from (
            select station, key, valid, value - lag(value) over (partition by station, key order by
            valid) as d from {RAW} where key like 'PC%' and {GOOD}) t where d < -1 order by valid
            limit 1""")[0]
        sts, ets = f"{year}-09-20", f"{year}-10-15"
        series = once(readings(station, key, f"{year}-09-10", ets))
        want = Summary.differences(self, series, lambda t: stamp(t)[:10], 25 * HOUR)
        rows = self.whole("/summary", {"station": station, "key": key, "sts": sts, "ets": ets,
                                       "tz": "UTC", "qualifier": UNFLAGGED})
        self.assertGreaterEqual(sum(int(r["resets"]) for r in rows), 1)
        for row in rows:
            total, resets, _ = want[row["period"]]
            self.assertEqual(row["resets"], str(resets))
            if total is not None:
                self.near(row["increment"], total, 4)


class Exceed(ShefTest):
    def events(self, series, threshold, below=False, gap=0.0, min_hours=0.0):
        """The obvious way: runs of readings beyond, joined, measured."""
        runs, beyond = [], lambda v: v <= threshold if below else v >= threshold
        for i, (when, value) in enumerate(series):
            if not beyond(value):
                continue
            if runs and (runs[-1][-1] == i - 1 or
                         (when - series[runs[-1][-1]][0]) / HOUR <= gap > 0):
                runs[-1].append(i)
            else:
                runs.append([i])
        out = []
        for run in runs:
            start, last = series[run[0]][0], series[run[-1]][0]
            end = series[run[-1] + 1][0] if run[-1] + 1 < len(series) else None
            values = [series[i][1] for i in run]
            peak = min(values) if below else max(values)
            hours = ((end or last) - start) / HOUR
            if hours >= min_hours:
                out.append((stamp(start), peak, stamp(series[run[values.index(peak)]][0]),
                            stamp(end) if end else "", stamp(last), len(run), hours, run[0] > 0))
        return out

    def compare(self, params, extra, **rule):
        series = once(readings(**params))
        middle = sorted(v for _, v in series)[len(series) * 3 // 4]
        if rule.get("below"):
            middle = sorted(v for _, v in series)[len(series) // 10]
        rows = self.whole("/exceed", {**params, "threshold": middle, **extra,
                                      "qualifier": UNFLAGGED})
        want = self.events(series, middle, **rule)
        self.assertEqual([r["start"] for r in rows], [w[0] for w in want])
        for row, (_, peak, peak_time, end, last, count, hours, known) in zip(rows, want):
            self.near(row["peak"], peak)
            self.assertEqual((row["peak_time"], row["end"], row["last"], row["count"]),
                             (peak_time, end, last, str(count)))
            self.assertAlmostEqual(float(row["duration"]), hours, places=3)
            self.assertEqual(row["start_known"], "true" if known else "false")
        return rows

    def test_truth_events_above(self):
        self.assertGreater(len(self.compare(month_of("HG%"), {})), 0)

    def test_truth_events_below(self):
        self.compare(month_of("HG%"), {"direction": "below"}, below=True)

    def test_truth_events_joined_and_long_enough(self):
        self.compare(month_of("HG%"), {"gap": 6, "min_duration": 1}, gap=6, min_hours=1)

    def test_truth_flow(self):
        self.compare(month_of("QR%"), {})

    def test_truth_number_of_events_of_all_stations(self):
        """Runs by the difference of two row numbers, in SQL."""
        want = sql("hads", f"""with best as (select distinct on (station, key, depth, valid)
            station, key, depth, valid, value from {RAW} where key like 'HG%' and {GOOD} order by station,
            key, depth, valid, case when qualifier in ('B', 'R') then 2 when qualifier in ('F', 'Q')
            then 1 else 0 end, value desc), marked as (select *, value >= 10.85 as hit, row_number()
            over (partition by station, key, depth order by valid) - row_number() over (partition by
            station, key, depth, value >= 10.85 order by valid) as run from best)
            select station, key, {STAMP.replace('valid', 'min(valid)')}, max(value), count(*)
            from marked where hit group by station, key, depth, run""")
        got = [[r["station"], r["key"], r["start"], r["count"]]
               for r in self.whole("/exceed", {"pe": "HG", "threshold": 10.85})]
        self.assertEqual(sorted(got), sorted([r[0], r[1], r[2], r[4]] for r in want))

    def test_faults(self):
        for params, name in (({"pe": "HG"}, "threshold"),
                             ({"pe": "HG", "threshold": 1, "stage": "flood"}, "threshold"),
                             ({"threshold": 1}, "key"), ({"stage": "food"}, "stage"),
                             ({"stage": "flood", "gap": -1}, "gap"),
                             ({"stage": "flood", "direction": "up"}, "direction")):
            errors = self.problem(400, API + "/exceed", params)["errors"]
            self.assertIn(name, [e["parameter"] for e in errors], params)


class Recorded(ShefTest):
    """What the recorded data is known to say."""
    archives = ("real", "iem")

    def test_truth_crest_of_september_2025(self):
        """The South Skunk River at Ames stood at 10.89 feet when the recording begins."""
        rows = self.whole("/exceed", {"station": "AESI4", "key": "HGIRGZZ", "threshold": 10.85,
                                      "sts": "2025-09-01", "ets": "2025-10-01"})
        self.assertEqual([(r["start"], r["peak"], r["end"]) for r in rows],
                         [("2025-09-01T00:00:00Z", "10.89", "2025-09-01T20:45:00Z"),
                          ("2025-09-01T21:00:00Z", "10.85", "2025-09-01T21:30:00Z"),
                          ("2025-09-02T11:15:00Z", "10.86", "")])
        self.assertEqual([r["start_known"] for r in rows], ["false", "true", "true"])

    def test_truth_flood_stage_of_the_station_table(self):
        rows = self.whole("/exceed", {"stage": "flood", "max_value": 1000})
        self.assertEqual(rows, [])
        rows = self.whole("/exceed", {"stage": "flood"})
        want = sql("hads", f"select {STAMP} from {RAW} where station = 'EOKI4' and key like 'HG%' "
                   f"and {GOOD} and value >= 18")
        self.assertEqual([(r["station"], r["start"], r["threshold"], r["stage"]) for r in rows],
                         [("EOKI4", w[0], "18", "flood") for w in want])

    def test_truth_a_reset_after_a_day(self):
        """13.46 inches, then 0.1 to 0.2 a day later: no rain, but a drop, or a gap by the hour."""
        params = {"station": "EOKI4", "key": "PCIRGZZ", "tz": "UTC"}
        days = {r["period"]: r for r in self.whole("/summary", params)}
        self.assertEqual((days["2024-06-03"]["increment"], days["2024-06-03"]["resets"],
                          days["2024-06-03"]["gaps"], days["2024-06-03"]["repeats"]),
                         ("", "1", "0", "1"))
        self.assertEqual(days["2024-06-01"]["increment"], "0.92")
        hours = {r["period"]: r for r in self.whole("/summary", {**params, "by": "hour"})}
        row = hours["2024-06-03T00:00"]
        self.assertEqual((row["increment"], row["resets"], row["gaps"]), ("", "0", "1"))

    def test_depths_and_missing_values(self):
        rows = self.whole("/summary", {"station": "EOKI4", "pe": "TB,VB", "by": "month",
                                       "tz": "UTC"})
        by_key = {r["key"]: r for r in rows}
        self.assertEqual(by_key["TBIRGZZ"]["depth"], "4")
        battery = by_key["VBIRGZZ"]
        self.assertEqual(int(battery["count"]) + int(battery["missing"]), 3)
        self.assertGreaterEqual(int(battery["missing"]), 1)


class Requests(ShefTest):
    PATHS = ("/latest", "/inventory", "/summary", "/elements", "/exceed")

    def test_unknown_parameters_are_named(self):
        for path in self.PATHS:
            errors = self.problem(400, API + path, {"colour": "red", "vars": "hue"})["errors"]
            names = [e["parameter"] for e in errors]
            self.assertIn("colour", names, path)
            self.assertIn("vars", names, path)

    def test_gzip_and_head(self):
        for path in self.PATHS[:4]:
            params = {"format": "ndjson", **({"days": 4000} if path != "/elements" else {})}
            plain = self.ok(API + path, params)
            self.assertEqual(self.ok(API + path, params, gzip=True).body, plain.raw)
            self.assertEqual(request(API + path, params, method="HEAD").raw, b"")

    def test_known_station_without_rows(self):
        station, _, sts, _ = busiest_of("HG%")
        for path in ("/latest", "/inventory", "/summary"):
            answer = self.ok(API + path, {"station": station, "sts": "1900-01-01",
                                          "ets": "1900-02-01"})
            self.assertEqual(len(answer.text.splitlines()), 1)
        self.assertGreater(sts, "1900")
