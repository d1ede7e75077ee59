"""/api/climodat/aggregate and /records against figures recomputed here from the daily rows."""
import bisect
import datetime
import functools
import os
import subprocess

from archive import HttpTest, sql, table

AGGREGATE, RECORDS = "/api/climodat/aggregate", "/api/climodat/records"
NAMES = ("high", "low", "precip", "snow", "snowd")
DAY = datetime.timedelta(days=1)
IOWA, ILLINOIS, CONUS = 55857.13, 55518.93, 2954780.81  # square miles of land


@functools.lru_cache(maxsize=None)
def daily(station):
    """day -> values by name; a trace is zero, as in sums."""
    rows = sql("coop", f"select day, {', '.join(NAMES)} from {table('coop', 'alldata')} "
               f"where station = '{station}' order by day")
    found = {}
    for row in rows:
        values = {n: float(t) if t else None for n, t in zip(NAMES, row[1:])}
        for name in ("precip", "snow", "snowd"):
            values[name + "_raw"] = values[name]
            if values[name] == 0.0001:
                values[name] = 0.0
        both = values["high"] is not None and values["low"] is not None
        values["avg"] = (values["high"] + values["low"]) / 2 if both else None
        found[datetime.date.fromisoformat(row[0])] = values
    return found


def date(text):
    return datetime.date.fromisoformat(text)


def series(station, name, first, last):
    """(day, value) of the days with data, both ends included; and how many days have none."""
    rows = daily(station)
    days = [first + DAY * i for i in range((last - first).days + 1)]
    found = [(d, rows[d][name]) for d in days if d in rows and rows[d][name] is not None]
    return found, len(days) - len(found)


def values(station, name, first, last):
    return [v for _, v in series(station, name, date(first), date(last))[0]]


def mean(items):
    return sum(items) / len(items)


def month_end(year, month):
    return (datetime.date(year + month // 12, month % 12 + 1, 1) - DAY).isoformat()


def longest(days):
    best, run, last = (0, None), 0, None
    for day in days:
        run = run + 1 if last is not None and day - last == DAY else 1
        last = day
        if run > best[0]:
            best = run, day - DAY * (run - 1)
    return best


def competition_rank(items, value):
    return bisect.bisect_left(sorted(items), value) + 1


class Truth(HttpTest):
    archives = ("real", "iem")

    def near(self, text, want, places=3):
        self.assertAlmostEqual(float(text), want, places)

    def aggregate(self, **params):
        return self.rows(AGGREGATE, params)

    def one(self, **params):
        rows = self.aggregate(**params)
        self.assertEqual(len(rows), 1, rows)
        return rows[0]

    def test_truth_iowa_july_2012(self):
        row = self.one(scope="state", state="IA", by="month", sts="2012-07-01", ets="2012-08-01",
                       vars="high,low,avg,precip", normals="2001-2020")
        self.assertEqual((row["id"], row["period"], row["missing"]), ("IA0000", "2012-07", "0"))
        for name, make in (("high", mean), ("low", mean), ("avg", mean), ("precip", sum)):
            years = [make(values("IA0000", name, f"{y}-07-01", f"{y}-07-31"))
                     for y in range(2001, 2021)]
            own = years[2012 - 2001]
            with self.subTest(name=name):
                self.near(row[name], own)
                self.near(row[name + "_normal"], mean(years))
                self.near(row[name + "_departure"], own - mean(years))
                self.assertEqual(int(row[name + "_rank"]), competition_rank(years, own))
                below, equal = sum(v < own for v in years), years.count(own)
                self.near(row[name + "_percentile"], 100 * (below + equal / 2) / 20)
                self.assertEqual(row[name + "_years"], "20")

    def test_truth_trace_over_a_year(self):
        row = self.one(scope="station", station="IATDSM", by="year", sts="2014-01-01",
                       ets="2015-01-01", vars="precip,days_precip_ge_0.01,days_precip_gt_0")
        rows, _ = series("IATDSM", "precip_raw", date("2014-01-01"), date("2014-12-31"))
        traces = sum(v == 0.0001 for _, v in rows)
        self.assertGreater(traces, 0)
        self.near(row["precip"], sum(v for _, v in rows) - traces * 0.0001, 6)
        wet = sum(v >= 0.01 for _, v in rows)
        self.assertEqual(row["days_precip_ge_0.01"], str(wet))
        self.assertEqual(row["days_precip_gt_0"], str(wet + traces))

    def test_truth_conus_season_across_the_new_year(self):
        row = self.one(scope="conus", by="season", sts="2012-01-01", ets="2012-05-01",
                       vars="avg,precip", min_coverage="0")
        self.assertEqual((row["id"], row["period"]), ("CONUS", "2012-DJF"))
        self.assertEqual((row["start"], row["end"]), ("2011-12-01", "2012-02-29"))
        self.near(row["avg"], mean(values("IA0000", "avg", "2011-12-01", "2012-02-29")))
        self.near(row["precip"], sum(values("IA0000", "precip", "2011-12-01", "2012-02-29")))
        self.near(row["coverage"], IOWA / CONUS, 4)
        hidden = self.one(scope="conus", by="season", sts="2012-01-01", ets="2012-05-01",
                          vars="avg,precip")
        self.assertEqual((hidden["avg"], hidden["precip"]), ("", ""))
        self.assertEqual(hidden["coverage"], row["coverage"])

    def test_truth_weights_of_two_states(self):
        rows = self.aggregate(scope="conus", by="day", sts="2023-01-01", ets="2023-01-06",
                              vars="high,precip", min_coverage="0")
        self.assertEqual(len(rows), 5)
        both = 0
        for row in rows:
            day = date(row["period"])
            for name in ("high", "precip"):
                parts = [(w, daily(s)[day][name]) for s, w in (("IA0000", IOWA),
                                                               ("IL0000", ILLINOIS))]
                parts = [(w, v) for w, v in parts if v is not None]
                both += len(parts) == 2
                self.near(row[name], sum(w * v for w, v in parts) / sum(w for w, _ in parts), 4)
        self.assertGreater(both, 5)
        regions = self.aggregate(scope="region", by="day", sts="2023-01-02", ets="2023-01-03",
                                 vars="high", min_coverage="0")
        self.assertEqual([r["id"] for r in regions], ["ohio_valley", "upper_midwest"])
        self.near(regions[1]["high"], daily("IA0000")[date("2023-01-02")]["high"])
        self.near(regions[1]["coverage"], IOWA / (IOWA + 56538.90 + 79626.74 + 54157.80), 4)

    def test_truth_leap_days(self):
        rows = self.aggregate(scope="station", station="IATDSM", by="0229-0229", vars="high,precip")
        self.assertEqual([r["period"] for r in rows],
                         ["2000", "2004", "2008", "2012", "2016", "2020", "2024"])
        for row in rows:
            own = daily("IATDSM")[datetime.date(int(row["period"]), 2, 29)]
            self.near(row["high"], own["high"])
            self.near(row["precip"], own["precip"])
        row = self.one(scope="station", station="IATDSM", by="day", sts="2012-02-29",
                       ets="2012-03-01", vars="low", normals="2001-2020")
        lows = [daily("IATDSM")[datetime.date(y, 2, 29)]["low"] for y in range(2004, 2021, 4)]
        self.assertEqual(row["low_years"], "5")
        self.near(row["low_normal"], mean(lows))
        february = self.one(scope="station", station="IATDSM", by="month", sts="2012-02-01",
                            ets="2012-03-01", vars="avg")
        self.near(february["avg"], mean(values("IATDSM", "avg", "2012-02-01", "2012-02-29")))

    def test_truth_missing_days_on_both_sides(self):
        tried = 0
        for year in range(2000, 2012):
            for month in range(1, 13):
                first, last = f"{year}-{month:02}-01", month_end(year, month)
                found, missing = series("IATAME", "snow", date(first), date(last))
                if not 1 <= missing <= 20 or tried == 4:
                    continue
                tried += 1
                ask = dict(scope="station", station="IATAME", by="month", sts=first,
                           ets=(date(last) + DAY).isoformat(), vars="snow")
                self.assertEqual(self.one(**ask)["snow"], "")
                self.assertEqual(self.one(**ask)["missing"], str(missing))
                self.assertEqual(self.one(**ask, maxmissing=missing - 1)["snow"], "")
                row = self.one(**ask, maxmissing=missing)
                self.near(row["snow"], sum(v for _, v in found), 4)
                self.assertEqual(bool(self.one(**ask, stat="mean")["snow_mean"]), missing <= 5)
                self.assertEqual(self.one(**ask, stat="count")["snow_count"], str(len(found)))
        self.assertGreater(tried, 0)

    def test_truth_extremes_with_days(self):
        rows = self.aggregate(scope="station", station="IATDSM", by="year", sts="2005-01-01",
                              ets="2011-01-01", vars="high,precip", stat="min,max")
        self.assertEqual(len(rows), 6)
        for row in rows:
            year = row["period"]
            for name in ("high", "precip"):
                found, _ = series("IATDSM", name, date(year + "-01-01"), date(year + "-12-31"))
                for stat in (min, max):
                    want = stat(v for _, v in found)
                    self.near(row[f"{name}_{stat.__name__}"], want)
                    self.assertEqual(row[f"{name}_{stat.__name__}_date"],
                                     next(d for d, v in found if v == want).isoformat())

    def test_truth_freeze_dates(self):
        rows = self.aggregate(scope="station", station="IATDSM", by="0701-0630", sts="2010-01-01",
                              ets="2020-01-01", vars="days_low_le_32", stat="first,last,count",
                              normals="2003-2018")
        self.assertEqual(len(rows), 10)

        def frost(year):
            found, _ = series("IATDSM", "low", date(f"{year - 1}-07-01"), date(f"{year}-06-30"))
            return [d for d, v in found if v <= 32]
        for row in rows:
            year = int(row["period"])
            days = frost(year)
            self.assertEqual(row["days_low_le_32_first"], days[0].isoformat())
            self.assertEqual(row["days_low_le_32_last"], days[-1].isoformat())
            self.assertEqual(row["days_low_le_32_count"], str(len(days)))
            offsets = [(frost(y)[0] - date(f"{y - 1}-07-01")).days for y in range(2003, 2019)]
            own = (days[0] - date(f"{year - 1}-07-01")).days
            self.near(row["days_low_le_32_first_departure"], own - mean(offsets))
            self.assertEqual(int(row["days_low_le_32_first_rank"]), competition_rank(offsets, own))

    def test_truth_streaks(self):
        rows = self.aggregate(scope="station", station="IATDSM", by="year", sts="2000-01-01",
                              ets="2010-01-01", vars="days_precip_ge_0.01,days_high_ge_90",
                              stat="streak")
        self.assertEqual(len(rows), 10)
        for row in rows:
            first, last = date(row["start"]), date(row["end"])
            for name, field, limit in (("days_precip_ge_0.01", "precip_raw", 0.01),
                                       ("days_high_ge_90", "high", 90)):
                found, _ = series("IATDSM", field, first, last)
                length, start = longest([d for d, v in found if v >= limit])
                self.assertEqual(row[name + "_streak"], str(length))
                self.assertEqual(row[name + "_streak_start"], start.isoformat() if start else "")

    def test_truth_degree_days(self):
        row = self.one(scope="station", station="IA0200", by="0401-0930", sts="2015-01-01",
                       ets="2016-01-01", vars="gdd,sdd,cdd", gdd_base="40", gdd_ceil="90",
                       cdd_base="70", sdd_base="85")
        days = [v for d, v in daily("IA0200").items()
                if date("2015-04-01") <= d <= date("2015-09-30")]

        def held(v):
            return min(max(v, 40), 90)
        self.near(row["gdd"], sum((held(v["high"]) + held(v["low"])) / 2 - 40 for v in days))
        self.near(row["sdd"], sum(max(v["high"] - 85, 0) for v in days))
        self.near(row["cdd"], sum(max(v["avg"] - 70, 0) for v in days))
        row = self.one(scope="station", station="IA0200", by="wateryear", sts="2015-01-01",
                       ets="2016-01-01", vars="hdd,gdd")
        self.assertEqual((row["start"], row["end"]), ("2014-10-01", "2015-09-30"))
        self.near(row["hdd"], sum(max(65 - v, 0) for v in
                                  values("IA0200", "avg", "2014-10-01", "2015-09-30")))

    def test_truth_stress_degree_days(self):
        for base in (86, 70):
            rows = self.rows("/api/climodat", {
                "station": "IATDSM", "sts": "2012-06-01", "ets": "2012-09-01",
                "vars": "sdd,gdd", "sdd_base": base, "gdd_base": "45", "gdd_ceil": "80"})
            self.assertEqual(len(rows), 92)
            for row in rows:
                own = daily("IATDSM")[date(row["day"])]
                self.near(row["sdd"], max(own["high"] - base, 0))
                held = [min(max(own[n], 45), 80) for n in ("high", "low")]
                self.near(row["gdd"], mean(held) - 45)

    def test_truth_iso_weeks(self):
        rows = self.aggregate(scope="division", station="IAC005", by="week", sts="2015-06-01",
                              ets="2016-06-01", vars="low,precip")
        self.assertEqual(len(rows), 52)
        self.assertIn("2015-W53", [r["period"] for r in rows])
        for row in rows:
            first = date(row["start"])
            year, week, weekday = first.isocalendar()
            self.assertEqual((row["period"], weekday), (f"{year}-W{week:02}", 1))
            last = (first + 6 * DAY).isoformat()
            self.near(row["low"], mean(values("IAC005", "low", row["start"], last)))
            self.near(row["precip"], sum(values("IAC005", "precip", row["start"], last)))

    def test_truth_winter_window(self):
        rows = self.aggregate(scope="station", station="IATDSM", by="1101-0331", vars="snow,snowd",
                              sts="2001-01-01", ets="2011-01-01")
        self.assertEqual(len(rows), 10)
        for row in rows:
            year = int(row["period"])
            bounds = f"{year - 1}-11-01", f"{year}-03-31"
            self.assertEqual((row["start"], row["end"]), bounds)
            self.near(row["snow"], sum(values("IATDSM", "snow", *bounds)))
            self.near(row["snowd"], mean(values("IATDSM", "snowd", *bounds)))

    def test_truth_ranks_of_ties(self):
        rows = self.aggregate(scope="state", station="IA0000", by="month", sts="2001-01-01",
                              ets="2021-01-01", vars="days_high_ge_90", normals="2001-2020")
        junes = {r["period"][:4]: r for r in rows if r["period"].endswith("-06")}
        counts = {y: sum(v >= 90 for v in values("IA0000", "high", f"{y}-06-01", f"{y}-06-30"))
                  for y in junes}
        self.assertLess(len(set(counts.values())), len(counts), "there are no ties")
        for year, row in junes.items():
            below = sum(v < counts[year] for v in counts.values())
            equal = sum(v == counts[year] for v in counts.values())
            self.assertEqual(row["days_high_ge_90"], str(counts[year]))
            self.assertEqual(row["days_high_ge_90_rank"], str(below + 1))
            self.near(row["days_high_ge_90_percentile"], 100 * (below + equal / 2) / 20)

    def test_truth_metric_departures(self):
        ask = dict(scope="state", state="IA", by="year", sts="2012-01-01", ets="2013-01-01",
                   vars="avg,precip", normals="2001-2020")
        us, metric = self.one(**ask), self.one(**ask, units="metric")
        self.near(metric["avg"], (float(us["avg"]) - 32) / 1.8, 1)
        self.near(metric["avg_departure"], float(us["avg_departure"]) / 1.8, 1)
        self.near(metric["precip"], float(us["precip"]) * 25.4, 1)

    def test_truth_records(self):
        rows = {r["day"]: r for r in self.rows(RECORDS, {"station": "IA0200"})}
        self.assertEqual(len(rows), 366)
        normals = {r[0][5:]: r[1:] for r in sql(
            "coop", f"select valid, high, low, precip from {table('coop', 'ncei_climate91')} "
            "where station = 'USC00130200'")}
        for day in ("01-01", "02-29", "07-04", "12-31"):
            own = {d: v for d, v in daily("IA0200").items() if d.isoformat()[5:] == day}
            self.assertEqual(rows[day]["years"], str(len(own)))
            for name, column, pick in (("max_high", "high", max), ("min_high", "high", min),
                                       ("max_low", "low", max), ("min_low", "low", min),
                                       ("max_precip", "precip_raw", max)):
                best = pick(v[column] for v in own.values())
                self.near(rows[day][name], best)
                self.assertEqual(rows[day][name + "_years"],
                                 " ".join(str(d.year) for d, v in own.items()
                                          if v[column] == best))
            for name, text in zip(("high", "low", "precip"), normals[day]):
                self.near(rows[day]["normal_" + name], float(text))
            self.assertEqual(rows[day]["normal_source"], "USC00130200")

    def test_truth_computed_normals(self):
        rows = {r["day"]: r for r in self.rows(RECORDS, {
            "station": "IATDSM", "normals": "2003-2012", "sts": "2015-01-01",
            "ets": "2016-01-01"})}
        self.assertEqual(len(rows), 365)
        for day in ("03-01", "08-10"):
            own = [daily("IATDSM")[date(f"{y}-{day}")] for y in range(2003, 2013)]
            for name in ("high", "low", "precip"):
                self.near(rows[day]["normal_" + name], mean([v[name] for v in own]))
            alone = daily("IATDSM")[date("2015-" + day)]
            self.assertEqual((rows[day]["years"], rows[day]["max_low_years"]), ("1", "2015"))
            self.near(rows[day]["min_high"], alone["high"])


class TruthOfAreas(HttpTest):
    """Several whole states: made-up data has some."""
    archives = ("synth",)
    LAND = {"AL0000": 50645.33, "AR0000": 52035.48, "AZ0000": 113594.08}

    def setUp(self):
        super().setUp()
        found = {r[0] for r in sql("coop", "select distinct station from coop.alldata "
                                   "where station like '__0000'")}
        self.assertEqual(found, set(self.LAND))

    def weighted(self, values_by_state):
        return sum(self.LAND[s] * v for s, v in values_by_state.items()) / sum(self.LAND.values())

    def test_truth_weighted_months(self):
        rows = self.rows(AGGREGATE, {"scope": "conus", "by": "month", "min_coverage": "0",
                                     "vars": "avg,precip,days_high_ge_90"})
        self.assertGreater(len(rows), 20)
        shown = 0
        for row in rows:
            bounds = row["start"], row["end"]
            if series("AL0000", "avg", *map(date, bounds))[1] > 0:
                continue
            shown += 1
            for name, field, make in (
                    ("avg", "avg", mean), ("precip", "precip", sum),
                    ("days_high_ge_90", "high", lambda items: sum(v >= 90 for v in items))):
                want = self.weighted({s: make(values(s, field, *bounds)) for s in self.LAND})
                self.assertAlmostEqual(float(row[name]), want, 3)
            self.assertAlmostEqual(float(row["coverage"]), sum(self.LAND.values()) / CONUS, 4)
        self.assertGreater(shown, 20)

    def test_truth_combined_extremes(self):
        rows = self.rows(AGGREGATE, {"scope": "conus", "by": "month", "min_coverage": "0",
                                     "vars": "high,days_high_ge_80", "stat": "max,first,count"})
        for row in rows[2:-2]:
            days = {}
            for station in self.LAND:
                for day, value in series(station, "high", date(row["start"]), date(row["end"]))[0]:
                    days.setdefault(day, {})[station] = value
            means = {d: round(self.weighted(v), 6) for d, v in days.items()}
            best = max(means.values())
            self.assertAlmostEqual(float(row["high_max"]), best, 3)
            self.assertEqual(row["high_max_date"],
                             min(d for d, v in means.items() if v == best).isoformat())
            warm = [d.isoformat() for d in sorted(means) if means[d] >= 80]
            self.assertEqual(row["days_high_ge_80_first"], warm[0] if warm else "")


class Behaviour(HttpTest):
    FAULTS = {
        "scope": "county", "region": "uper_midwest", "by": "fortnight", "stat": "median",
        "normals": "1991", "maxmissing": "-1", "min_coverage": "2", "rollup": "maybe",
        "gdd_base": "x", "gdd_ceil": "20", "vars": "hgih", "sts": "2020-13", "ets": "x",
        "order": "up", "limit": "0", "units": "metres",
    }

    def test_faults_name_the_parameter(self):
        for name, value in self.FAULTS.items():
            with self.subTest(name=name):
                params = {name: value}
                if name == "region":
                    params["scope"] = "region"
                problem = self.problem(400, AGGREGATE, params)
                self.assertIn(name, [e["parameter"] for e in problem["errors"]])
        for params in ({"vars": "high", "stat": "first"}, {"vars": "high", "stat": "sum"},
                       {"vars": "days_high_ge_90", "stat": "mean"}, {"by": "0230-0301"},
                       {"scope": "conus", "state": "IA"}, {"vars": "days_high_ge_9x"},
                       {"normals": "2020-1991"}):
            with self.subTest(params=params):
                self.problem(400, AGGREGATE, params)
        self.problem(400, RECORDS, {"normals": "2x00-2010"})

    def test_order_limit_formats(self):
        ask = {"scope": "state", "by": "year", "vars": "avg"}
        up, down = self.rows(AGGREGATE, ask), self.rows(AGGREGATE, {**ask, "order": "desc"})
        self.assertEqual(sorted(up, key=lambda r: (r["id"], r["start"])), up)
        by_member = {}
        for row in down:
            by_member.setdefault(row["id"], []).append(row)
        self.assertEqual([r for rows in by_member.values() for r in rows[::-1]], up)
        answer = self.ok(AGGREGATE, {**ask, "limit": "1"})
        self.assertEqual(answer.headers["X-Truncated"], "true")
        for form in ("json", "ndjson", "geojson", "tsv"):
            self.assertEqual(len(self.rows(AGGREGATE, ask, form=form)), len(up))

    def test_many_pieces_are_one_answer(self):
        rows = self.rows(AGGREGATE, {"scope": "state", "by": "day", "vars": "high"})
        want = sql("coop", f"select count(*) from {table('coop', 'alldata')} "
                   "where station like '__0000'")
        self.assertEqual(len(rows), int(want[0][0]))
        self.assertEqual(len({(r["id"], r["period"]) for r in rows}), len(rows))

    def test_a_period_is_whole(self):
        rows = self.rows(AGGREGATE, {"scope": "state", "by": "month", "vars": "high"})
        middle = rows[len(rows) // 2]
        month = middle["period"]
        cut = self.rows(AGGREGATE, {"scope": "state", "station": middle["id"], "by": "month",
                                    "vars": "high", "sts": month + "-10", "ets": month + "-20"})
        self.assertEqual(cut, [])
        whole = self.rows(AGGREGATE, {"scope": "state", "station": middle["id"], "by": "month",
                                      "vars": "high", "sts": middle["end"],
                                      "ets": (date(middle["end"]) + DAY).isoformat()})
        self.assertEqual(whole, [middle])


class Rollup(HttpTest):
    """The same answers before, between and after; whatever was written since."""
    archives = ("synth", "real")
    ASKS = (
        "scope=conus&by=month&vars=avg,precip&min_coverage=0",
        "scope=region&by=season&normals=1991-2030&min_coverage=0",
        "scope=state&by=year&stat=min,max,mean,sum,count",
        "scope=state&by=wateryear&vars=gdd,hdd,cdd,sdd,snowd",
        "scope=conus&by=month&vars=high&stat=mean,max&min_coverage=0",
        "scope=state&by=month&vars=precip,low,snowd&stat=min,max,sum&maxmissing=30",
    )

    def both(self):
        for ask in self.ASKS:
            with self.subTest(ask=ask):
                slow, fast = (self.ok(AGGREGATE, ask + "&rollup=" + r) for r in ("no", "yes"))
                self.assertGreater(len(slow.text.splitlines()), 1)
                self.assertEqual(slow.text, fast.text)

    def rollup(self, *arguments):
        run = subprocess.run([os.environ["OBSTREAM"], "-d", os.environ["OBSTREAM_DSN"], "rollup",
                              *arguments], capture_output=True, text=True, check=True, timeout=300)
        return int(run.stdout.split()[2])

    def change(self, statement):
        sql("coop", statement)
        self.both()

    def test_same_answers(self):
        station, last = sql("coop", "select station, max(day) from coop.alldata where station like "
                            "'__0000' group by 1 order by count(*) desc, 1 limit 1")[0]
        some = f"station = '{station}' and day > date '{last}' - 70"
        self.rollup()
        self.assertEqual(sql("coop", "select count(*) from coop.rollup_touched"), [["0"]])
        self.both()
        before = self.ok(AGGREGATE, self.ASKS[5]).text
        self.change(f"update coop.alldata set high = high + 1, precip = precip + 1 where {some}")
        self.assertNotEqual(self.ok(AGGREGATE, self.ASKS[5]).text, before)
        self.assertIn(self.rollup(), (3, 4))
        self.both()
        part = "coop.alldata_" + station[:2].lower()
        self.change(f"update {part} set high = high - 1, precip = precip - 1 where {some}")
        sql("coop", "create table coop.kept as select * from coop.alldata where " + some)
        self.change(f"delete from coop.alldata where {some}")
        self.rollup()
        self.both()
        self.change("insert into coop.alldata select * from coop.kept")
        sql("coop", "drop table coop.kept")
        self.assertGreater(self.rollup("--all"), 4)
        self.both()
        self.assertEqual(self.rollup(), 0)

    def test_a_write_under_way(self):
        """What is written but not committed while months are rolled up is not lost."""
        station, day = sql("coop", "select station, max(day) - 40 from coop.alldata where station "
                           "like '__0000' group by 1 order by count(*) desc, 1 limit 1")[0]
        self.rollup()
        change = ("update coop.alldata set high = high {} 5 where "
                  f"station = '{station}' and day = '{day}'")
        with subprocess.Popen([os.environ["PSQL"], "-X", "-q", "-At", "-d",
                               os.environ["OBSTREAM_DSN"]], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as writer:
            writer.stdin.write(f"begin;\n{change.format('+')};\nselect 'written';\n")
            writer.stdin.flush()
            self.assertEqual(writer.stdout.readline(), "written\n")
            sql("coop", "insert into coop.rollup_touched select station, coop.month_of(day) from "
                f"coop.alldata where station = '{station}' and day = '{day}'")
            self.assertEqual(self.rollup(), 1)
            self.both()
            writer.stdin.write("commit;\nselect 'committed';\n")
            writer.stdin.flush()
            self.assertEqual(writer.stdout.readline(), "committed\n")
            writer.stdin.close()
        self.assertEqual(sql("coop", "select count(*) from coop.rollup_touched"), [["1"]])
        self.both()
        self.assertEqual(self.rollup(), 1)
        self.both()
        sql("coop", change.format("-"))
        self.rollup()
