"""Every format tells the same rows, and as many as the database has."""
import json

from archive import (ARCHIVE, ENDPOINTS, FORMATS, READERS, HttpTest, a_month, as_text, busiest,
                     count, where)


class Formats(HttpTest):
    def same_rows(self, form):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                want = self.rows(path, a_month(path))
                self.assertGreater(len(want), 5)
                got = self.rows(path, a_month(path), form)
                self.assertEqual(len(got), len(want))
                for a, b in zip(want, got):
                    self.assertEqual(list(a), list(b))
                    for name, text in a.items():
                        self.same_value(name, text, b[name])

    def same_value(self, name, text, value):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            self.assertEqual(float(text), value, name)
        else:
            self.assertEqual(text, as_text(value), name)

    def test_tsv(self):
        self.same_rows("tsv")

    def test_json(self):
        self.same_rows("json")

    def test_ndjson(self):
        self.same_rows("ndjson")

    def test_table(self):
        self.same_rows("table")

    def test_geojson(self):
        self.same_rows("geojson")

    def test_geojson_positions(self):
        document = self.ok("/api/metar.geojson", a_month("/api/metar")).json
        for feature in document["features"]:
            self.assertEqual(feature["geometry"]["type"], "Point")
            lon, lat = feature["geometry"]["coordinates"]
            self.assertTrue(-180 <= lon <= 180 and -90 <= lat <= 90)

    def test_suffix_and_accept(self):
        types = {"csv": "text/csv", "tsv": "text/tab-separated-values", "json": "application/json",
                 "ndjson": "application/x-ndjson", "geojson": "application/geo+json",
                 "table": "application/vnd.dataresource+json"}
        for form, media_type in types.items():
            with self.subTest(form=form):
                params = a_month("/api/shef")
                named = self.ok("/api/shef", {**params, "format": form})
                self.assertEqual(named.media_type, media_type)
                self.assertEqual(self.ok(f"/api/shef.{form}", params).raw, named.raw)
                accepted = self.ok("/api/shef", params, headers={"Accept": media_type})
                self.assertEqual(accepted.media_type, media_type)
                self.assertEqual(accepted.raw, named.raw)

    def test_a_browser_gets_csv(self):
        answer = self.ok("/api/shef", a_month("/api/shef"), headers={
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"})
        self.assertEqual(answer.media_type, "text/csv")

    def test_unknown_suffix(self):
        self.assertIn(self.problem(400, "/api/metar.cvs", a_month("/api/metar"))["status"], (400,))

    def test_header_modes(self):
        params = a_month("/api/metar")
        plain = self.ok("/api/metar", params).text.split("\n")
        none = self.ok("/api/metar", {**params, "header": "none"}).text.split("\n")
        units = self.ok("/api/metar", {**params, "header": "units"}).text.split("\n")
        self.assertEqual(none, plain[1:])
        self.assertEqual([units[0]] + units[2:], plain)
        by_name = dict(zip(units[0].split(","), units[1].split(",")))
        self.assertTrue(by_name["tmpf"])

    def test_missing(self):
        params = {**a_month("/api/metar"), "vars": "p01i,gust,snowdepth"}
        empty = self.rows("/api/metar", params)
        marked = self.rows("/api/metar", {**params, "missing": "M"})
        nulls = 0
        for a, b in zip(empty, marked):
            for name, text in a.items():
                self.assertEqual(b[name], text if text != "" else "M")
                nulls += text == ""
        self.assertGreater(nulls, 0)


class Counts(HttpTest):
    """Whole archives: as many rows as the database has, in every format, plain and packed."""

    def whole(self, path):
        want = count(path)
        self.assertGreater(want, 0)
        # The encoders do not know the layout of the tables: one line format and one document do.
        for form in ("csv", "json") if ARCHIVE == "iem" else FORMATS:
            with self.subTest(form=form):
                plain = self.ok(path, {"format": form})
                self.assertEqual(self.number(form, plain.body), want)
                packed = self.ok(path, {"format": form}, gzip=True)
                self.assertTrue(packed.body == plain.raw, "gzip and plain differ")

    def number(self, form, body):
        if form == "ndjson":
            return body.count(b"\n")
        if form in ("json", "geojson"):
            document = json.loads(body)
            rows = document["data" if form == "json" else "features"]
            self.assertEqual(document["rows"], len(rows))
            return len(rows)
        return len(READERS[form](body.decode()))

    def test_metar(self):
        self.whole("/api/metar")

    def test_shef(self):
        self.whole("/api/shef")

    def test_climodat(self):
        self.whole("/api/climodat")

    def test_one_station(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                params = {"station": busiest(path)[0]}
                self.assertEqual(len(self.rows(path, params)), count(path, where(path, params)))
