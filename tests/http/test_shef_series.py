"""Summaries of the SHEF archive and events beyond a threshold.

test_truth_* compare answers with values recomputed by plain SQL, or in Python from the rows of the
table. Archives differ, so most take their station from the archive at hand.
"""
import collections
import datetime
import zoneinfo

from archive import READERS, sql, table
from shef_archive import (API, GOOD, HOUR, RAW, STAMP, UNFLAGGED, UTC, ShefTest, busiest_of,
                          instant, month_of, once, readings, stamp)


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
            station, key, depth, valid, value from {RAW} where key like 'HG%' and {GOOD} order by
            station, key, depth, valid, case when qualifier in ('B', 'R') then 2 when qualifier in
            ('F', 'Q') then 1 else 0 end, value desc), marked as (select *, value >= 10.85 as hit,
            row_number() over (partition by station, key, depth order by valid) - row_number() over
            (partition by station, key, depth, value >= 10.85 order by valid) as run from best)
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
