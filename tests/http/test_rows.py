"""Selections, windows, order, columns, zones: which rows come, and what stands in them."""
import datetime
import zoneinfo

from archive import (ENDPOINTS, HttpTest, a_month, busiest, count, sql, table,
                     where)


def time_column(path):
    return ENDPOINTS[path][2]


class Selection(HttpTest):
    def stations_of(self, path, limit=3):
        dataset, name, _ = ENDPOINTS[path]
        return [r[0] for r in sql(dataset, f"select trim(station) from {table(dataset, name)} "
                                  f"group by station order by station limit {limit}")]

    def test_several_stations(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                ids = self.stations_of(path)
                params = {**a_month(path), "station": ",".join(ids)}
                rows = self.rows(path, params)
                self.assertEqual(len(rows), count(path, where(path, params)))
                repeated = {**params, "station": ids}
                self.assertEqual(self.ok(path, repeated).raw, self.ok(path, params).raw)

    def test_exclusion(self):
        ids = self.stations_of("/api/metar")
        params = a_month("/api/metar")
        window = {k: params[k] for k in ("sts", "ets")}
        rows = self.rows("/api/metar", {**window, "station": "!" + ids[0]})
        want = count("/api/metar", where("/api/metar", window) + f" and station <> '{ids[0]}'")
        self.assertEqual(len(rows), want)
        self.assertNotIn(ids[0], {r["station"] for r in rows})

    def test_icao_prefix(self):
        three = [r[0] for r in sql("asos", f"select station from {table('asos', 'alldata')} where "
                                   "station ~ '^[A-Z]{3}$' group by station order by count(*) desc "
                                   "limit 1")]
        params = {"station": three[0], **{k: v for k, v in a_month("/api/metar").items()
                                          if k != "station"}}
        self.assertEqual(self.ok("/api/metar", {**params, "station": "K" + three[0]}).raw,
                         self.ok("/api/metar", params).raw)

    def test_state_and_network(self):
        station = busiest("/api/metar")[0]
        network, state = sql("mesosite", f"select network, state from "
                             f"{table('mesosite', 'stations')} where id = '{station}' and "
                             "network like '%ASOS' limit 1")[0]
        window = {k: v for k, v in a_month("/api/metar").items() if k != "station"}
        for param, value in (("network", network), ("state", state)):
            if not value:
                continue
            with self.subTest(param=param):
                found = {r["station"] for r in self.rows("/api/metar", {**window, param: value,
                                                                        "vars": "tmpf"})}
                self.assertIn(station, found)
                ids = {r[0] for r in sql("mesosite", "select id from "
                                         f"{table('mesosite', 'stations')} where "
                                         f"trim({param}) = '{value}'")}
                self.assertLessEqual(found, ids)

    def test_bbox(self):
        station = busiest("/api/metar")[0]
        row = self.rows("/api/stations", {"station": station})[0]
        lon, lat = float(row["lon"]), float(row["lat"])
        window = {k: v for k, v in a_month("/api/metar").items() if k != "station"}
        box = f"{lon - 0.01:.5f},{lat - 0.01:.5f},{lon + 0.01:.5f},{lat + 0.01:.5f}"
        found = {r["station"] for r in self.rows("/api/metar", {**window, "bbox": box})}
        self.assertEqual(found, {station})


class Window(HttpTest):
    def test_half_open(self):
        path = "/api/metar"
        station = busiest(path)[0]
        first, second = (r[0] for r in sql("asos", f"""select distinct to_char(valid,
            'YYYY-MM-DD"T"HH24:MI:SS') as v from {table('asos', 'alldata')}
            where station = '{station}' order by v desc limit 2""")[::-1])
        rows = self.rows(path, {"station": station, "sts": first, "ets": second})
        self.assertEqual({r["valid"] for r in rows}, {first + "Z"})

    def test_aliases_and_forms_of_time(self):
        params = a_month("/api/shef")
        want = self.ok("/api/shef", params).raw
        sts, ets = params["sts"], params["ets"]
        for form in ({"start": sts, "end": ets}, {"time_start": sts, "time_end": ets},
                     {"sts": sts + "T00:00", "ets": ets + "T00:00:00"},
                     {"sts": sts + "T00:00:00Z", "ets": ets + "T00:00:00.000+00:00"},
                     {"sts": sts + " 00:00", "ets": ets + "T01:00+01:00"}):
            with self.subTest(form=form):
                got = self.ok("/api/shef", {"station": params["station"], **form}).raw
                self.assertEqual(got, want)

    def test_zone_of_input(self):
        params = a_month("/api/metar")
        zone = zoneinfo.ZoneInfo("America/Chicago")
        def utc(text):
            local = datetime.datetime.fromisoformat(text).replace(tzinfo=zone)
            return local.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        got = self.rows("/api/metar", {**params, "tz": "America/Chicago"})
        want = self.rows("/api/metar", {**params, "sts": utc(params["sts"]),
                                        "ets": utc(params["ets"])})
        self.assertEqual([r["valid"] for r in got], [r["valid"] for r in want])
        for row in got:
            local = datetime.datetime.fromisoformat(row["local_valid"])
            instant = datetime.datetime.fromisoformat(row["valid"].replace("Z", "+00:00"))
            self.assertEqual(local, instant)
            self.assertEqual(local.utcoffset(), instant.astimezone(zone).utcoffset())

    def test_days_and_hours_before_ets(self):
        params = a_month("/api/metar")
        end = datetime.date.fromisoformat(params["ets"])
        start = (end - datetime.timedelta(days=7)).isoformat()
        base = {"station": params["station"], "ets": params["ets"]}
        want = self.ok("/api/metar", {**base, "sts": start}).raw
        self.assertEqual(self.ok("/api/metar", {**base, "days": 7}).raw, want)
        self.assertEqual(self.ok("/api/metar", {**base, "hours": 168}).raw, want)


class Order(HttpTest):
    def test_station_then_time(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                keys = [(r["station"], r[time_column(path)])
                        for r in self.rows(path, {"vars": self.one_column(path)})]
                self.assertEqual(keys, sorted(keys))

    def one_column(self, path):
        return {"/api/metar": "tmpf", "/api/shef": "value", "/api/climodat": "high"}[path]

    def test_by_time(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                window = {k: v for k, v in a_month(path).items() if k != "station"}
                params = {**window, "vars": self.one_column(path)}
                rows = self.rows(path, {**params, "sort": "time"})
                keys = [(r[time_column(path)], r["station"]) for r in rows]
                self.assertEqual(keys, sorted(keys))
                other = self.rows(path, params)
                self.assertEqual(sorted(map(str, rows)), sorted(map(str, other)))

    def test_descending(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                up = self.rows(path, a_month(path))
                down = self.rows(path, {**a_month(path), "order": "desc"})
                times = [r[time_column(path)] for r in down]
                self.assertEqual(times, sorted(times, reverse=True))
                self.assertEqual(sorted(map(str, up)), sorted(map(str, down)))

    def test_limit(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                everything = self.rows(path, a_month(path))
                cut = self.ok(path, {**a_month(path), "limit": 5})
                self.assertEqual(cut.raw.count(b"\n"), 6)
                self.assertEqual(cut.headers["X-Truncated"], "true")
                document = self.ok(path, {**a_month(path), "limit": 5, "format": "json"}).json
                self.assertIs(document["truncated"], True)
                exact = self.ok(path, {**a_month(path), "limit": len(everything),
                                       "format": "json"})
                self.assertNotEqual(exact.headers["X-Truncated"], "true")
                self.assertNotIn("truncated", exact.json)


class Values(HttpTest):
    def test_vars(self):
        params = a_month("/api/metar")
        rows = self.rows("/api/metar", {**params, "vars": "dwpf,tmpf"})
        self.assertEqual(list(rows[0]), ["station", "valid", "dwpf", "tmpf"])
        for alias in ("var", "data"):
            self.assertEqual(self.rows("/api/metar", {**params, alias: ["dwpf", "tmpf"]}), rows)

    def test_metar_equals_the_database(self):
        params = a_month("/api/metar")
        got = [(r["valid"], r["tmpf"], r["alti"], r["drct"], r["skyl1"])
               for r in self.rows("/api/metar", {**params, "vars": "tmpf,alti,drct,skyl1"})]
        want = [tuple(r) for r in sql("asos", f"""select to_char(valid,
            'YYYY-MM-DD"T"HH24:MI:SS"Z"'), tmpf, alti, drct, skyl1
            from {table('asos', 'alldata')} where {where('/api/metar', params)}""")]
        self.assertEqual(sorted(got), sorted(want))

    def test_shef_equals_the_database(self):
        params = a_month("/api/shef")
        rows = self.rows("/api/shef", params)
        got = [(r["valid"], r["key"], r["value"]) for r in rows]
        want = [tuple(r) for r in sql("hads", f"""select to_char(valid,
            'YYYY-MM-DD"T"HH24:MI:SS"Z"'), key, value from {table('hads', 'raw')}
            where {where('/api/shef', params)}""")]
        self.assertEqual(sorted(got), sorted(want))
        for row in rows:
            self.assertEqual(row["pe"], row["key"][:2])

    def test_climodat_equals_the_database(self):
        params = a_month("/api/climodat")
        rows = self.rows("/api/climodat", params)
        got = [(r["day"], r["high"], r["low"], r["precip"]) for r in rows]
        want = [tuple(r) for r in sql("coop", "select day, high, low, precip from "
                                      f"{table('coop', 'alldata')} where "
                                      f"{where('/api/climodat', params)} order by day")]
        self.assertEqual(got, want)

    def test_units(self):
        params = {**a_month("/api/metar"), "vars": "tmpf"}
        native = self.rows("/api/metar", params)
        kelvin = self.rows("/api/metar", {**params, "units": "tmpf:K"})
        for a, b in zip(native, kelvin):
            if a["tmpf"] == "":
                self.assertEqual(b["tmpf"], "")
            else:
                want = (float(a["tmpf"]) - 32) / 1.8 + 273.15
                self.assertAlmostEqual(float(b["tmpf"]), want, delta=0.051)

    def test_shef_filters(self):
        params = a_month("/api/shef")
        rows = self.rows("/api/shef", params)
        pe = rows[0]["pe"]
        self.assertEqual(self.rows("/api/shef", {**params, "pe": pe}),
                         [r for r in rows if r["pe"] == pe])
        key = rows[0]["key"]
        self.assertEqual(self.rows("/api/shef", {**params, "key": key[:2] + "*"}),
                         [r for r in rows if r["key"].startswith(key[:2])])
        values = sorted(float(r["value"]) for r in rows if r["value"])
        middle = values[len(values) // 2]
        self.assertEqual(
            self.rows("/api/shef", {**params, "min_value": middle}),
            [r for r in rows if r["value"] and float(r["value"]) >= middle])

    def test_shef_wide(self):
        params = a_month("/api/shef")
        long = self.rows("/api/shef", params)
        wide = self.rows("/api/shef", {**params, "layout": "wide"})
        keys = sorted({r["key"] for r in long})
        self.assertEqual(sorted(set(wide[0]) - {"station", "valid"}), keys)
        # Nothing is lost: a key reported twice for one time takes a second row.
        cells = [(r["valid"], k, r[k]) for r in wide for k in keys if r[k] != ""]
        want = [(r["valid"], r["key"], r["value"]) for r in long if r["value"] != ""]
        self.assertEqual(sorted(cells), sorted(want))
        self.assertEqual(len({r["valid"] for r in wide}), len({r["valid"] for r in long}))


class Metadata(HttpTest):
    def test_stations(self):
        want = int(sql("mesosite", f"select count(*) from {table('mesosite', 'stations')}")[0][0])
        for form in ("csv", "json", "geojson"):
            with self.subTest(form=form):
                self.assertEqual(len(self.rows("/api/stations", form=form)), want)

    def test_stations_of_a_network(self):
        network = sql("mesosite", f"select network from {table('mesosite', 'stations')} "
                      "group by network order by count(*) desc limit 1")[0][0]
        rows = self.rows("/api/stations", {"network": network})
        self.assertEqual({r["network"] for r in rows}, {network})
        ids = [r[0] for r in sql("mesosite", f"select id from {table('mesosite', 'stations')} "
                                 f"where network = '{network}'")]
        self.assertEqual(sorted(r["station"] if "station" in r else r["id"] for r in rows),
                         sorted(ids))

    def test_networks(self):
        want = int(sql("mesosite", f"select count(*) from {table('mesosite', 'networks')}")[0][0])
        self.assertEqual(len(self.rows("/api/networks")), want)
