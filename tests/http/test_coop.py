"""/api/coop against the table of daily summaries, joined to the stations here."""
from archive import HttpTest, request, sql, table

VALUES = {"high": "max_tmpf", "low": "min_tmpf", "tobs": "coop_tmpf", "precip": "pday",
          "snow": "snow", "snowd": "snowd", "swe": "snoww"}


def observers():
    """iemid: (id, zone) of the COOP networks."""
    return {r[0]: (r[1], r[2]) for r in sql(
        "mesosite", f"select iemid, id, tzname from {table('mesosite', 'stations')} "
        "where network like '%\\_COOP'")}


def summaries(columns, where="true"):
    """Rows of the table as the observer's id, then the columns."""
    known = observers()
    rows = sql("iem", f"select iemid, {columns} from {table('iem', 'summary')} where {where}")
    return sorted([known[r[0]][0]] + r[1:] for r in rows if r[0] in known)


def as_number(text):
    return float(text) if text else None


class Coop(HttpTest):
    archives = ("real", "iem")

    def test_truth_all_values(self):
        for name, column in VALUES.items():
            with self.subTest(column=name):
                want = [(r[0], r[1], as_number(r[2])) for r in summaries(f"day, {column}")]
                rows = self.rows("/api/coop", {"vars": name})
                self.assertGreater(len(rows), 100)
                self.assertEqual([(r["station"], r["day"], as_number(r[name])) for r in rows],
                                 want)

    def test_truth_hours(self):
        zones = set(zone for _, zone in observers().values())
        self.assertEqual(zones, {"America/Chicago"})
        want = summaries("day, extract(hour from coop_valid at time zone 'America/Chicago')")
        rows = self.rows("/api/coop", {"vars": "hour"})
        self.assertEqual([[r["station"], r["day"], r["hour"]] for r in rows], want)
        self.assertIn("7", {r["hour"] for r in rows})

    def test_truth_times(self):
        want = summaries("day, to_char(coop_valid at time zone 'UTC', "
                         "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')", "day >= '2024-12-31'")
        rows = self.rows("/api/coop", {"vars": "valid", "sts": "2024-12-31"})
        self.assertEqual([[r["station"], r["day"], r["valid"]] for r in rows], want)

    def test_truth_traces(self):
        want = int(sum(1 for r in summaries("pday") if r[1] and 0 < float(r[1]) < 0.009))
        self.assertGreater(want, 5)
        rows = self.rows("/api/coop", {"vars": "precip", "trace": "T"})
        self.assertEqual(sum(1 for r in rows if r["precip"] == "T"), want)
        total = sum(float(r["precip"]) for r in self.rows("/api/coop", {"vars": "precip"})
                    if r["precip"])
        plain = sum(float(r[1]) for r in summaries("pday") if r[1])
        self.assertAlmostEqual(total, plain, places=4)

    def test_truth_metric(self):
        want = [(r[0], as_number(r[1])) for r in summaries("snowd", "day = '2024-12-31'")]
        rows = self.rows("/api/coop", {"vars": "snowd", "units": "metric", "sts": "2024-12-31",
                                       "ets": "2025-01-01"})
        for row, (station, depth) in zip(rows, want):
            self.assertEqual(row["station"], station)
            if depth is not None:
                self.assertAlmostEqual(float(row["snowd"]), depth * 25.4, delta=0.051)

    def test_truth_by_time_and_descending(self):
        want = sorted(summaries("day"), key=lambda r: (r[1], r[0]))
        rows = self.rows("/api/coop", {"vars": "high", "sort": "time"})
        self.assertEqual([[r["station"], r["day"]] for r in rows], want)
        rows = self.rows("/api/coop", {"vars": "high", "sort": "time", "order": "desc"})
        self.assertEqual([[r["station"], r["day"]] for r in rows],
                         sorted(want, key=lambda r: (-int(r[1].replace("-", "")), r[0])))

    def test_truth_report_as_received(self):
        rows = self.rows("/api/coop", {"station": "AESI4", "vars": "report",
                                       "sts": "2024-12-31", "ets": "2025-01-01"})
        self.assertEqual(len(rows), 1)
        self.assertTrue(rows[0]["report"].startswith(".A AESI4 241231 C DH0600/TX 37/TN 31/TA 32"))

    def test_a_station_of_another_network_has_none(self):
        answer = request("/api/coop", {"station": "DSM"})
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.text.count("\n"), 1)
