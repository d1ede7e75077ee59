"""/api/metar/summary, latest and raw against statistics made here from the plain rows."""
import collections
import datetime
import functools
import itertools
import math
import zoneinfo

from archive import HttpTest, busiest, rows_csv, sql, table

NUMBERS = ("tmpf", "dwpf", "relh", "sknt", "alti", "mslp")
DECIMALS = {"alti": 3}
PATH = "/api/metar/summary"
UTC = datetime.timezone.utc

Report = collections.namedtuple("Report", "station valid tmpf dwpf relh sknt alti mslp drct gust "
                                "p01i peak_gust peak_drct peak_time report_type metar")


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


def iso(when):
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@functools.lru_cache(maxsize=4)
def reports(condition):
    """The plain rows, by station and time."""
    rows = sql("asos", f"""select station, to_char(valid, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        tmpf, dwpf, relh, sknt, alti, mslp, drct, gust, p01i, peak_wind_gust, peak_wind_drct,
        to_char(peak_wind_time, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), report_type,
        translate(metar, E'\\n\\r\\t', '   ')
        from {table('asos', 'alldata')} where {condition} order by station collate "C", valid""")
    number = lambda text: float(text) if text else None
    return [Report(r[0], instant(r[1]), *map(number, r[2:13]), instant(r[13]),
                   int(r[14]) if r[14] else None, r[15]) for r in rows]


@functools.lru_cache(maxsize=None)
def zone_of(station):
    names = sql("mesosite", f"select tzname from {table('mesosite', 'stations')} where "
                f"id = '{station}' order by network limit 1")
    return names[0][0] if names and names[0][0] else "UTC"


def period_of(by, local):
    return local.strftime({"hour": "%Y-%m-%dT%H:00", "day": "%Y-%m-%d", "month": "%Y-%m",
                           "year": "%Y"}[by])


def hour_of(when, zone):
    """Hours of the local clock; the repeated one in autumn is another hour."""
    local = when.astimezone(zone)
    return local.strftime("%Y-%m-%dT%H") + str(local.utcoffset())


def first_extreme(rows, value, sign):
    """The value that is largest times sign, and the report that has it first."""
    best = None
    for r in rows:
        if value(r) is not None and (best is None or sign * value(r) > sign * value(best)):
            best = r
    return best


def rain(rows, zone):
    """Of each hour the last routine report, else the last report."""
    hours = collections.defaultdict(list)
    for r in rows:
        hours[hour_of(r.valid, zone)].append(r)
    chosen = []
    for group in hours.values():
        routine = [r for r in group if r.report_type in (2, 3)]
        last = max((routine or group), key=lambda r: r.valid).valid
        ties = [r for r in (routine or group) if r.valid == last]
        chosen.append(max(ties, key=lambda r: (r.report_type is None, r.report_type or 0)).p01i)
    told = [v for v in chosen if v is not None]
    traces = [v for v in told if 0 < v < 0.009999]
    total = sum(v for v in told if v >= 0.009999)
    return {"precip": total or (0.0001 if traces else 0) if told else None,
            "precip_hours": sum(v > 0 for v in told), "precip_trace_hours": len(traces),
            "precip_count": len(told)}


def wind(rows):
    parts = [(0, 0) if r.sknt == 0 else (r.sknt * math.sin(math.radians(r.drct)),
                                         r.sknt * math.cos(math.radians(r.drct)))
             for r in rows if r.sknt == 0 or (r.sknt is not None and r.drct is not None)]
    out = {"wind_count": len(parts), "calm_count": sum(r.sknt == 0 for r in rows),
           "wind_sknt": None, "wind_drct": None}
    if parts:
        east, north = (sum(p[i] for p in parts) / len(parts) for i in (0, 1))
        out["wind_sknt"] = math.hypot(east, north)
        if out["wind_sknt"] >= 0.005:
            out["wind_drct"] = math.degrees(math.atan2(east, north)) % 360 or 360
    return out


def gusts(rows):
    peaks = []
    for r in rows:
        if r.peak_gust is not None and r.peak_gust >= (r.gust or 0):
            peaks.append((-r.peak_gust, r.peak_time or r.valid, r.peak_drct))
        elif r.gust is not None:
            peaks.append((-r.gust, r.valid, r.drct))
    if not peaks:
        return {"gust_max": None, "gust_max_drct": None, "gust_max_time": None}
    peak = min(peaks, key=lambda p: (p[0], p[1], math.inf if p[2] is None else p[2]))
    return {"gust_max": -peak[0], "gust_max_drct": peak[2], "gust_max_time": peak[1]}


def summary_of(rows, zone):
    out = {"count": len(rows), **wind(rows), **gusts(rows), **rain(rows, zone)}
    for name in NUMBERS:
        values = [getattr(r, name) for r in rows if getattr(r, name) is not None]
        out[f"{name}_count"] = len(values)
        out[f"{name}_mean"] = sum(values) / len(values) if values else None
        out[f"{name}_min"] = min(values, default=None)
        out[f"{name}_max"] = max(values, default=None)
    for name, sign in (("tmpf_min", -1), ("tmpf_max", 1)):
        best = first_extreme(rows, lambda r: r.tmpf, sign)
        out[name + "_time"] = best.valid if best else None
    return out


def expected(condition, by, tz=None):
    """{(station, period, offset of an hour): statistics}, in the order of station and time."""
    out = {}
    for station, own in itertools.groupby(reports(condition), key=lambda r: r.station):
        zone = zoneinfo.ZoneInfo(tz or zone_of(station))
        groups = collections.defaultdict(list)
        for r in own:
            local = r.valid.astimezone(zone)
            fold = local.utcoffset() if by == "hour" else None
            groups[(station, period_of(by, local), fold)].append(r)
        for key, group in groups.items():
            out[key] = summary_of(group, zone)
    return out


@functools.lru_cache(maxsize=None)
def fullest_month():
    """Parameters of the busiest station's month with the most reports, and as a condition."""
    station = busiest("/api/metar")[0]
    sts, ets = sql("asos", f"""select to_char(m, 'YYYY-MM-DD') || 'T00:00Z',
        to_char(m + interval '1 month', 'YYYY-MM-DD') || 'T00:00Z' from (
        select date_trunc('month', valid) as m from {table('asos', 'alldata')}
        where station = '{station}' group by 1 order by count(*) desc, 1 limit 1) t""")[0]
    return ({"station": station, "sts": sts, "ets": ets},
            f"station = '{station}' and valid >= '{sts}' and valid < '{ets}'")


class SummaryTest(HttpTest):
    def agree(self, got, want, where):
        for name, value in want.items():
            text = got[name]
            if value is None:
                self.assertEqual(text, "", (where, name))
            elif isinstance(value, datetime.datetime):
                self.assertEqual(text, iso(value), (where, name))
            elif isinstance(value, int):
                self.assertEqual(text, str(value), (where, name))
            else:
                variable = name.split("_")[0]
                digits = 1 if name == "wind_drct" else 4 if variable in ("precip", "relh") \
                    and not name.endswith("mean") else DECIMALS.get(variable, 2)
                self.assertTrue(text, (where, name, value))
                error = abs(float(text) - value)
                if name == "wind_drct":
                    error = min(error, 360 - error)
                self.assertLessEqual(error, 0.5001 * 10 ** -digits + 1e-5 * ("mslp" == variable),
                                     (where, name, value, text))

    def check(self, params, condition, by, tz=None):
        """All columns of all rows; returns them."""
        rows = self.rows(PATH, {**params, "by": by, **({"tz": tz} if tz else {})})
        want = expected(condition, by, tz)
        self.assertEqual([(r["station"], r["period"]) for r in rows], [k[:2] for k in want])
        self.assertGreater(len(rows), 0)
        for got, (key, value) in zip(rows, want.items()):
            self.agree(got, value, key)
        return rows


class Summary(SummaryTest):
    def test_truth_hours(self):
        rows = self.check(*fullest_month(), "hour")
        self.assertGreater(len(rows), 100)
        self.assertTrue(any(r["wind_drct"] for r in rows))

    def test_truth_days(self):
        rows = self.check(*fullest_month(), "day")
        for r in rows:
            local = instant(r["valid"]).astimezone(zoneinfo.ZoneInfo(r["timezone"]))
            self.assertEqual((local.hour, local.date().isoformat()), (0, r["period"]))

    def test_truth_months_and_years_of_the_whole_archive(self):
        station = busiest("/api/metar")[0]
        condition = f"station = '{station}'"
        for by in ("month", "year"):
            with self.subTest(by=by):
                self.check({"station": station}, condition, by)

    def test_truth_zone_of_the_request(self):
        for tz in ("UTC", "Asia/Kolkata", "America/St_Johns"):
            with self.subTest(tz=tz):
                rows = self.check(*fullest_month(), "day", tz)
                self.assertEqual({r["timezone"] for r in rows}, {tz})
                self.assertTrue(all("T00:00:00" in r["local_valid"] for r in rows))

    def test_truth_half_hour_zone_by_hour(self):
        rows = self.check(*fullest_month(), "hour", "Asia/Kolkata")
        self.assertEqual({r["valid"][14:16] for r in rows}, {"30"})

    def test_truth_report_types(self):
        params, condition = fullest_month()
        for word, codes in (("routine", "2, 3"), ("special", "2, 4"), ("hf", "1"), ("3,4", "3, 4")):
            with self.subTest(report_type=word):
                kinds = condition + f" and report_type in ({codes})"
                if not reports(kinds):
                    self.assertEqual(self.rows(PATH, {**params, "report_type": word}), [])
                    continue
                rows = self.check({**params, "report_type": word}, kinds, "day")
                self.assertLess(sum(int(r["count"]) for r in rows), len(reports(condition)) + 1)

    def test_truth_all_stations_each_in_its_zone(self):
        sts, ets = (fullest_month()[0][k] for k in ("sts", "ets"))
        condition = f"valid >= '{sts}' and valid < '{ets}'"
        rows = self.check({"sts": sts, "ets": ets}, condition, "day")
        by_time = self.rows(PATH, {"sts": sts, "ets": ets, "sort": "time", "by": "day"})
        self.assertEqual(by_time, sorted(rows, key=lambda r: (r["valid"], r["station"])))
        newest = self.rows(PATH, {"sts": sts, "ets": ets, "sort": "time", "by": "day",
                                  "order": "desc"})
        self.assertEqual([r["valid"] for r in newest], [r["valid"] for r in reversed(by_time)])
        self.assertEqual(sorted(map(str, newest)), sorted(map(str, rows)))

    def test_windows_shared_by_zones_lose_nothing(self):
        for by, window in (("month", {}), ("day", {}), ("hour", {"days": 40})):
            with self.subTest(by=by):
                params = {**window, "by": by, "vars": "count,period"}
                if window:
                    params["ets"] = fullest_month()[0]["ets"]
                rows = self.rows(PATH, params)
                self.assertGreater(len(rows), 0)
                self.assertEqual(self.rows(PATH, {**params, "sort": "time"}),
                                 sorted(rows, key=lambda r: (r["valid"], r["station"])))

    def test_truth_units(self):
        params, condition = fullest_month()
        rows = self.rows(PATH, {**params, "by": "month", "units": "metric,alti_mean:Pa",
                                "vars": "tmpf_mean,wind_sknt,precip,alti_mean"})
        want = list(expected(condition, "month").values())
        for got, value in zip(rows, want):
            self.assertAlmostEqual(float(got["tmpf_mean"]), (value["tmpf_mean"] - 32) / 1.8,
                                   delta=0.06)
            self.assertAlmostEqual(float(got["wind_sknt"]), value["wind_sknt"] * 1852 / 3600,
                                   delta=0.06)
            if value["precip"] is not None:
                self.assertAlmostEqual(float(got["precip"]), value["precip"] * 25.4, delta=0.06)
            self.assertAlmostEqual(float(got["alti_mean"]), value["alti_mean"] * 3386.389, delta=3)

    def test_without_rain_the_rest_is_the_same(self):
        params, _ = fullest_month()
        columns = "tmpf_mean,gust_max,count"
        rows = self.rows(PATH, {**params, "vars": columns})
        whole = self.rows(PATH, {**params, "vars": columns + ",precip"})
        self.assertEqual(rows, [{k: v for k, v in r.items() if k != "precip"} for r in whole])

    def test_limit_and_order(self):
        params, _ = fullest_month()
        rows = self.rows(PATH, params)
        answer = self.ok(PATH, {**params, "limit": 3})
        self.assertEqual(answer.headers["X-Truncated"], "true")
        self.assertEqual(rows_csv(answer.text), rows[:3])
        self.assertEqual(self.rows(PATH, {**params, "order": "desc"}), rows[::-1])

    def test_formats(self):
        params = {**fullest_month()[0], "by": "month", "vars": "tmpf_max,precip,lat,name"}
        text = self.rows(PATH, params)
        for form in ("json", "ndjson", "geojson"):
            rows = self.rows(PATH, params, form)
            self.assertEqual([r["tmpf_max"] for r in rows], [float(r["tmpf_max"]) for r in text])

    def test_faults(self):
        for name, value in (("by", "fortnight"), ("report_type", "daily"), ("tz", "Mars"),
                            ("vars", "tmpf"), ("units", "tmpf_mean:kg")):
            with self.subTest(name=name):
                errors = self.problem(400, PATH, {name: value})["errors"]
                self.assertEqual([e["parameter"] for e in errors], [name])


class RealSummary(SummaryTest):
    """What is known of the test archive."""
    archives = ("real", "iem")

    def test_truth_derecho(self):
        day = {"station": "DSM", "sts": "2020-08-10T05:00", "ets": "2020-08-11T05:00"}
        rows = self.check(day, "station = 'DSM' and valid >= '2020-08-10 05:00+00' and "
                               "valid < '2020-08-11 05:00+00'", "day")
        self.assertEqual([(r["gust_max"], r["gust_max_drct"], r["gust_max_time"], r["precip"])
                          for r in rows], [("65", "310", "2020-08-10T15:59:00Z", "0.59")])
        # Specials repeat parts of the hour's amount: added up they would be more.
        total = sql("asos", f"select sum(p01i) from {table('asos', 'alldata')} where station = "
                    "'DSM' and valid >= '2020-08-10 05:00Z' and valid < '2020-08-11 05:00Z'")
        self.assertGreater(float(total[0][0]), 0.6)

    def test_truth_days_of_23_and_25_hours(self):
        for day, hours in (("2020-03-08", 23), ("2020-11-01", 25), ("2020-11-02", 24)):
            with self.subTest(day=day):
                begin = datetime.date.fromisoformat(day)
                window = {"station": "DSM", "sts": day,
                          "ets": (begin + datetime.timedelta(days=1)).isoformat(),
                          "tz": "America/Chicago"}
                sts, ets = (f"timestamp '{window[k]}' at time zone 'America/Chicago'"
                            for k in ("sts", "ets"))
                condition = f"station = 'DSM' and valid >= {sts} and valid < {ets}"
                self.check(window, condition, "day", "America/Chicago")
                rows = self.check(window, condition, "hour", "America/Chicago")
                self.assertEqual(len(rows), hours)
                self.assertEqual(len({r["valid"] for r in rows}), hours)

    def test_truth_traces_of_a_year(self):
        window = {"station": "DSM", "sts": "2020-01-01", "ets": "2021-01-01",
                  "vars": "period,precip"}
        zone = "America/Chicago"
        want = expected("station = 'DSM' and valid >= '2020-01-01 06:00+00' and "
                        "valid < '2021-01-01 06:00+00'", "day", zone)
        rows = self.rows(PATH, {**window, "tz": zone, "trace": "T"})
        only = {k[1] for k, v in want.items() if v["precip"] == 0.0001}
        self.assertEqual({r["period"] for r in rows if r["precip"] == "T"}, only)
        self.assertGreater(len(only), 10)
        total = sum(float(r["precip"]) for r in rows if r["precip"] not in ("", "T"))
        self.assertAlmostEqual(total, sum(v["precip"] for v in want.values()
                                          if v["precip"] and v["precip"] != 0.0001), places=3)
        months = self.rows(PATH, {**window, "tz": zone, "by": "month"})
        self.assertAlmostEqual(total, sum(float(r["precip"]) for r in months), delta=0.0013)


class Latest(HttpTest):
    PATH = "/api/metar/latest"

    def newest(self, condition="true"):
        return dict((r[0], r[1]) for r in sql("asos", f"""select station,
            to_char(max(valid), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from {table('asos', 'alldata')}
            where {condition} group by station"""))

    def known(self):
        return {r[0] for r in sql("mesosite", f"select id from {table('mesosite', 'stations')} "
                                  "where network like '%ASOS%' or network like '%AWOS%'")}

    def test_truth_latest(self):
        rows = self.rows(self.PATH, {"vars": "metar"})
        known = self.known()
        want = {k: v for k, v in self.newest().items() if k in known}
        self.assertEqual({r["station"]: r["valid"] for r in rows}, want)
        self.assertEqual([r["station"] for r in rows], sorted(want))

    def test_truth_latest_in_a_window(self):
        params = fullest_month()[0]
        known = self.known()
        window = {k: params[k] for k in ("sts", "ets")}
        condition = f"valid >= '{params['sts']}' and valid < '{params['ets']}'"
        want = {k: v for k, v in self.newest(condition).items() if k in known}
        for order in ("asc", "desc"):
            rows = self.rows(self.PATH, {**window, "sort": "time", "order": order, "vars": "tmpf"})
            sign = 1 if order == "asc" else -1
            pairs = sorted(want.items(), key=lambda p: (sign * instant(p[1]).timestamp(), p[0]))
            self.assertEqual([(r["station"], r["valid"]) for r in rows], pairs)
        routine = self.newest(condition + " and report_type in (2, 3)")
        rows = self.rows(self.PATH, {**window, "report_type": "routine", "vars": "tmpf"})
        self.assertEqual({r["station"]: r["valid"] for r in rows},
                         {k: v for k, v in routine.items() if k in known})

    def test_same_row_as_in_the_archive(self):
        station = busiest("/api/metar")[0]
        newest = self.rows(self.PATH, {"station": station})
        self.assertEqual(len(newest), 1)
        rows = self.rows("/api/metar", {"station": station, "sts": newest[0]["valid"]})
        self.assertIn(newest[0], rows)

    def test_no_row_is_no_fault(self):
        station = busiest("/api/metar")[0]
        self.assertEqual(self.rows(self.PATH, {"station": station, "ets": "1875-01-01"}), [])
        self.assertEqual(self.rows(self.PATH, {"limit": 1})[0]["station"],
                         self.rows(self.PATH)[0]["station"])


class Raw(HttpTest):
    PATH = "/api/metar/raw"

    def test_truth_raw(self):
        params = fullest_month()[0]
        condition = (f"station = '{params['station']}' and valid >= '{params['sts']}' and "
                     f"valid < '{params['ets']}' and metar is not null")
        answer = self.ok(self.PATH, params)
        self.assertEqual(answer.headers["Content-Type"], "text/plain; charset=utf-8")
        lines = answer.text.split("\n")
        self.assertEqual(lines.pop(), "")
        want = reports(condition)
        self.assertEqual(sorted(lines), sorted(r.metar for r in want))
        by_minute = {}
        for r in want:
            by_minute.setdefault(r.metar, set()).add(r.valid)
        times = [min(by_minute[line]) for line in lines if len(by_minute[line]) == 1]
        self.assertEqual(times, sorted(times))

    def test_truth_line_breaks(self):
        broken = sql("asos", f"""select station, to_char(valid, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            from {table('asos', 'alldata')} where metar ~ E'[\\n\\t]' order by 1, 2 limit 20""")
        for station, valid in broken:
            end = iso(instant(valid) + datetime.timedelta(seconds=1))
            window = {"station": station, "sts": valid, "ets": end}
            stored = [r.metar for r in reports(f"station = '{station}' and valid = '{valid}' and "
                                               "metar is not null")]
            lines = self.ok(self.PATH, window).text.split("\n")[:-1]
            self.assertEqual(sorted(lines), sorted(stored))
            rows = self.rows(self.PATH, window, "json")
            self.assertTrue(any("\n" in r["metar"] or "\t" in r["metar"] for r in rows))

    def test_formats(self):
        params = {**fullest_month()[0], "limit": 5}
        lines = self.ok(self.PATH, params).text.splitlines()
        self.assertEqual([r["metar"] for r in self.rows(self.PATH, params)], lines)
        self.assertEqual([r["metar"] for r in self.rows(self.PATH, params, "ndjson")], lines)
        for path, headers in ((self.PATH + ".txt", {}), (self.PATH, {"Accept": "text/plain"}),
                              (self.PATH, {"Accept": "*/*"})):
            self.assertEqual(self.ok(path, params, headers=headers).text.splitlines(), lines)
        answer = self.ok(self.PATH, params, headers={"Accept": "application/json"})
        self.assertEqual([r["metar"] for r in answer.json["data"]], lines)
        self.assertEqual(answer.headers["X-Truncated"], "true")
        self.problem(400, self.PATH, {"format": "pdf"})
