"""latest, inventory and elements of the SHEF archive, and what all its services have in common.

test_truth_* compare answers with values recomputed by plain SQL, or with facts of the field.
"""
import collections
import datetime
import os
import subprocess
import tempfile
import urllib.request

from archive import READERS, encode_query, eventually, request, sql, table
from shef_archive import API, RAW, STAMP, ShefTest, busiest_of, instant, stamp


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


class Segments(ShefTest):
    """A second server that cuts answers elsewhere says the same."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        port = os.path.join(folder.name, "port")
        self.server = subprocess.Popen(
            [os.environ["OBSTREAMD"], "-c", os.environ["OBSTREAM_CONF"], "-o",
             "server.port_file=" + port, "-o", "stream.segment_first=1024", "-o",
             "stream.segment_target=4096", "-o", "stream.workers=3", "-o", "stream.read_ahead=5"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end)
        self.assertTrue(eventually(lambda: os.path.exists(port) and os.path.getsize(port) > 0, 60))
        with open(port, encoding="ascii") as file:
            self.other = "http://127.0.0.1:" + file.read().strip()

    def end(self):
        self.server.terminate()
        self.assertEqual(self.server.wait(60), 0)

    def test_same_bytes(self):
        station, key, _, ets = busiest_of("PC%")
        sts = (datetime.date.fromisoformat(ets) - datetime.timedelta(days=100)).isoformat()
        window = {"station": station, "sts": sts + "T03:40", "ets": ets}
        for path, params in (("/summary", {**window, "by": "hour", "tz": "America/Chicago"}),
                             ("/summary", {**window, "by": "day", "key": key, "max_gap": 0.5}),
                             ("/summary", {"by": "month"}), ("/inventory", {}),
                             ("/latest", {"days": 4000}),
                             ("/exceed", {"pe": "HG", "threshold": 10, "gap": 3})):
            with self.subTest(path=path, params=params):
                want = self.ok(API + path, {**params, "format": "json"}).raw
                url = self.other + API + path + "?" + encode_query({**params, "format": "json"})
                with urllib.request.urlopen(url, timeout=120) as answer:
                    self.assertEqual(answer.read(), want)


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
