"""Spreadsheets, table JSON, radius, order of columns, cut answers, validators: recomputed by SQL
and Python."""
import datetime
import math

from archive import (ENDPOINTS, HttpTest, a_month, busiest, request, rows_csv, sheet_rows, sql,
                     table, where)

EPOCH = datetime.datetime(1899, 12, 30)  # as spreadsheets count days
EARTH = 6371.0088


def metar_sql(columns, params, order="valid"):
    return sql("asos", f"select {columns} from {table('asos', 'alldata')} where "
               f"{where('/api/metar', params)} order by {order}")


def angle_km(lat1, lon1, lat2, lon2):
    """By the angle between the two directions from the earth's centre, not by haversines."""
    def direction(lat, lon):
        lat, lon = math.radians(lat), math.radians(lon)
        return (math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat))
    a, b = direction(lat1, lon1), direction(lat2, lon2)
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return EARTH * math.atan2(math.hypot(*cross), sum(x * y for x, y in zip(a, b)))


def positions(where_sql="true"):
    """Entries of the station table with a position: id, network, lat, lon."""
    x, y = ("st_x(geom)", "st_y(geom)") if table("mesosite", "s") == "s" else ("lon", "lat")
    rows = sql("mesosite", f"select id, network, {y}, {x} from {table('mesosite', 'stations')} "
               f"where {y} is not null and {where_sql}")
    return [(r[0], r[1], float(r[2]), float(r[3])) for r in rows]


class Sheets(HttpTest):
    def sheet(self, path, params):
        answer = self.ok(f"{path}.xlsx", params)
        self.assertEqual(answer.media_type, "application/vnd.openxmlformats-officedocument."
                         "spreadsheetml.sheet")
        self.assertEqual(int(answer.headers["Content-Length"]), len(answer.raw))
        return sheet_rows(answer.raw)

    def test_truth_sheet_has_the_rows_of_csv(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                want = self.rows(path, a_month(path))
                names, *got = self.sheet(path, a_month(path))
                self.assertEqual(names, list(want[0]))
                self.assertEqual(len(got), len(want))
                for a, b in zip(want, got):
                    self.same_row(a, b + [None] * (len(names) - len(b)))

    def same_row(self, texts, values):
        for (name, text), value in zip(texts.items(), values):
            if isinstance(value, bool):
                self.assertEqual(text, "true" if value else "false", name)
            elif isinstance(value, float) and "-" in text[1:] and "e" not in text:
                when = EPOCH + datetime.timedelta(days=value)
                shown = (when + datetime.timedelta(seconds=.5)).strftime("%Y-%m-%dT%H:%M:%SZ")
                self.assertEqual(text, shown if "T" in text else shown[:10], name)
            elif isinstance(value, float):
                self.assertEqual(float(text), value, name)
            else:
                self.assertEqual(text, value or "", name)

    def test_truth_sheet_numbers(self):
        params = {**a_month("/api/metar"), "vars": "sknt"}
        want = [float(r[0]) if r[0] else None for r in metar_sql("sknt", params, "valid, sknt")]
        rows = self.sheet("/api/metar", params)[1:]
        got = [r[2] if len(r) > 2 else None for r in rows]
        self.assertEqual(sorted(v for v in got if v is not None),
                         sorted(v for v in want if v is not None))
        self.assertEqual(len(got), len(want))

    def test_truth_sheet_local_time(self):
        params = {**a_month("/api/metar"), "vars": "local_valid", "tz": "America/Chicago"}
        utc = {"station": params["station"], "sts": params["sts"] + "T06:00Z",
               "ets": params["sts"][:8] + "08T06:00Z"}
        want = metar_sql("to_char(valid at time zone 'America/Chicago', 'YYYY-MM-DD HH24:MI:SS')",
                         utc)
        rows = self.sheet("/api/metar", {**utc, "vars": "local_valid", "tz": "America/Chicago"})
        got = [(EPOCH + datetime.timedelta(days=r[2], seconds=.5)).strftime("%Y-%m-%d %H:%M:%S")
               for r in rows[1:]]
        self.assertEqual(got, [r[0] for r in want])

    def test_header_modes(self):
        params = {**a_month("/api/metar"), "vars": "tmpf,gust", "limit": 3}
        plain = self.sheet("/api/metar", params)
        units = self.sheet("/api/metar", {**params, "header": "units"})
        none = self.sheet("/api/metar", {**params, "header": "none"})
        self.assertEqual(units[1], [None, None, "degF", "kt"])
        self.assertEqual([units[0]] + units[2:], plain)
        self.assertEqual(none, plain[1:])

    def test_limit_and_gzip(self):
        answer = self.ok("/api/metar", {"format": "xlsx", "limit": 7}, gzip=True)
        self.assertEqual(answer.headers["X-Truncated"], "true")
        self.assertIsNone(answer.headers["Content-Encoding"])  # it is compressed in itself
        self.assertEqual(len(sheet_rows(answer.raw)), 8)

    def test_no_rows(self):
        params = {"station": busiest("/api/metar")[0], "sts": "1800-01-01", "ets": "1800-01-02"}
        self.assertEqual(len(self.sheet("/api/metar", params)), 1)

    def test_head(self):
        answer = request("/api/metar.xlsx", {"limit": 1}, method="HEAD")
        self.assertEqual(answer.status, 200)
        self.assertIn("spreadsheetml", answer.media_type)


class Tables(HttpTest):
    def test_truth_table_schema_and_values(self):
        params = {**a_month("/api/metar"), "vars": "report_type,sknt", "units": "sknt:m/s"}
        document = self.ok("/api/metar.table", params).json
        fields = {f["name"]: f for f in document["schema"]["fields"]}
        self.assertEqual(fields["valid"], {"name": "valid", "type": "datetime", "tz": "UTC"})
        self.assertEqual(fields["report_type"]["type"], "integer")
        self.assertEqual(fields["sknt"]["unit"], "m/s")
        self.assertNotIn("primaryKey", document["schema"])
        want = [float(r[0]) * 1852 / 3600 for r in metar_sql("sknt", params, "valid, sknt") if r[0]]
        got = [r["sknt"] for r in document["data"] if r["sknt"] is not None]
        self.assertEqual(len(got), len(want))
        for a, b in zip(sorted(got), sorted(want)):
            self.assertAlmostEqual(a, b, delta=0.051)


class Columns(HttpTest):
    def test_truth_order_as_asked(self):
        params = {**a_month("/api/metar"), "limit": 200}
        for name in ("vars", "fields", "data", "var"):
            rows = self.rows("/api/metar", {**params, name: "sknt,tmpf,drct"})
            self.assertEqual(list(rows[0]), ["station", "valid", "sknt", "tmpf", "drct"])
        want = metar_sql("sknt, tmpf, drct", {**params}, "valid")[:200]
        numbers = [[float(v) if v else None for v in r] for r in want]
        got = [[float(r[n]) if r[n] else None for n in ("sknt", "tmpf", "drct")] for r in rows]
        self.assertEqual(sorted(map(str, got)), sorted(map(str, numbers)))

    def test_truth_units_line(self):
        lines = self.ok("/api/metar", {**a_month("/api/metar"), "vars": "tmpf,mslp", "limit": 5,
                                       "header": "units", "units": "metric"}).text.split("\n")
        self.assertEqual(lines[1], ",,degC,hPa" if "hPa" in lines[1] else ",,degC,mb")

    def test_truth_limit_is_told(self):
        params = a_month("/api/shef")
        total = len(self.rows("/api/shef", params))
        cut = self.ok("/api/shef", {**params, "limit": total - 1})
        whole = self.ok("/api/shef", {**params, "limit": total})
        self.assertEqual(cut.headers["X-Truncated"], "true")
        self.assertIsNone(whole.headers["X-Truncated"])
        self.assertEqual(whole.text.split("\n")[:total], cut.text.split("\n")[:total])


class Radius(HttpTest):
    def centre(self):
        """The position of the METAR archive's busiest station."""
        return positions(f"id = '{busiest('/api/metar')[0]}'")[0][2:]

    def test_truth_stations_nearest_first(self):
        lat, lon = self.centre()
        want = {}
        for ident, network, y, x in positions():
            km = angle_km(lat, lon, y, x)
            if km <= 150:
                want[ident, network] = km
        rows = self.rows("/api/stations", {"lat": lat, "lon": lon, "radius": 150,
                                           "vars": "id,network,distance"})
        self.assertEqual({(r["id"], r["network"]) for r in rows}, set(want))
        for row in rows:
            self.assertAlmostEqual(float(row["distance"]), want[row["id"], row["network"]],
                                   delta=0.001)
        distances = [float(r["distance"]) for r in rows]
        self.assertEqual(distances, sorted(distances))

    def test_truth_rows_nearest_first(self):
        lat, lon = self.centre()
        near = {}
        for ident, _, y, x in positions("network like '%ASOS%'"):
            near[ident] = min(angle_km(lat, lon, y, x), near.get(ident, 1e9))
        counts = dict((r[0], int(r[1])) for r in sql(
            "asos", f"select station, count(*) from {table('asos', 'alldata')} group by station"))
        radius = 300
        want = [(s, counts[s]) for s in sorted(near, key=lambda s: (near[s], s))
                if near[s] <= radius and s in counts]
        got = []
        for row in self.rows("/api/metar", {"lat": lat, "lon": lon, "radius": radius,
                                            "vars": "sknt"}):
            if not got or got[-1][0] != row["station"]:
                got.append([row["station"], 0])
            got[-1][1] += 1
        self.assertEqual([tuple(g) for g in got], want)

    def test_truth_radius_with_other_filters(self):
        lat, lon = self.centre()
        rows = self.rows("/api/stations", {"lat": lat, "lon": lon, "radius": 20000,
                                           "network": "IA_ASOS"})
        want = {p[0] for p in positions("network = 'IA_ASOS'")}
        self.assertEqual({r["id"] for r in rows}, want)

    def test_parts_belong_together(self):
        for given, missing in (({"lat": 42}, {"lon", "radius"}),
                               ({"lon": -93, "radius": 5}, {"lat"}),
                               ({"radius": 5}, {"lat", "lon"})):
            with self.subTest(given=given):
                errors = self.problem(400, "/api/metar", given)["errors"]
                self.assertEqual({e["parameter"] for e in errors}, missing)
        errors = self.problem(400, "/api/metar", {"lat": 91, "lon": 1, "radius": -1})["errors"]
        self.assertEqual({e["parameter"] for e in errors}, {"lat", "radius"})

    def test_nobody_near(self):
        answer = self.ok("/api/metar", {"lat": -89, "lon": 10, "radius": 1})
        self.assertEqual(len(rows_csv(answer.text)), 0)


class Zones(HttpTest):
    def test_truth_days_in_a_zone(self):
        station, first, _ = busiest("/api/climodat")
        day = datetime.date.fromisoformat(first[:10]) + datetime.timedelta(days=40)
        for zone in ("UTC", "America/Chicago", "Asia/Tokyo", "Pacific/Apia"):
            with self.subTest(zone=zone):
                rows = self.rows("/api/climodat", {
                    "station": station, "sts": day, "tz": zone,
                    "ets": day + datetime.timedelta(days=2), "vars": "high"})
                want = sql("coop", f"select day, high from {table('coop', 'alldata')} where "
                           f"station = '{station}' and day >= '{day}' and day < date '{day}' + 2 "
                           "order by day")
                self.assertEqual([[r["day"], r["high"]] for r in rows], want)


class Validators(HttpTest):
    def test_unchanged_answers_are_not_sent_again(self):
        for gzip in (False, True):
            first = self.ok("/api/climodat", a_month("/api/climodat"), gzip=gzip)
            tag = first.headers["ETag"]
            self.assertRegex(tag, '^"[0-9a-f]{32}"$')
            for sent in (tag, f'"other", W/{tag}', "*"):
                again = request("/api/climodat", a_month("/api/climodat"), gzip=gzip,
                                headers={"If-None-Match": sent})
                self.assertEqual((again.status, again.raw), (304, b""))
                self.assertEqual(again.headers["ETag"], tag)
                self.assertIn("max-age", again.headers["Cache-Control"])
            other = self.ok("/api/climodat", a_month("/api/climodat"), gzip=gzip,
                            headers={"If-None-Match": '"0123456789abcdef0123456789abcdef"'})
            self.assertEqual(other.raw, first.raw)

    def test_freshness_by_data_set(self):
        for path, seconds in (("/api/metar", 60), ("/api/shef", 60), ("/api/climodat", 600)):
            answer = self.ok(path, {"days": 1})
            self.assertEqual(answer.headers["Cache-Control"], f"public, max-age={seconds}")
            old = self.ok(path, {"sts": "1999-01-01", "ets": "1999-01-02"})
            self.assertEqual(old.headers["Cache-Control"], "public, max-age=3600")

    def test_other_answers_have_other_tags(self):
        params = a_month("/api/climodat")
        tags = {self.ok("/api/climodat", {**params, **more}, gzip=gzip).headers["ETag"]
                for more in ({}, {"units": "metric"}, {"format": "json"}) for gzip in (False, True)}
        self.assertEqual(len(tags), 6)
