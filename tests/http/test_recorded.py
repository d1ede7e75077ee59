"""The recorded archive: figures known beforehand, and edge values."""
from archive import HttpTest, sql, table


class Recorded(HttpTest):
    archives = ("real", "iem")

    def test_derecho_of_2020(self):
        rows = self.rows("/api/metar", {"station": "DSM", "sts": "2020-08-10",
                                        "ets": "2020-08-11"})
        hours = {r["valid"][:13] for r in rows}
        self.assertEqual(len(hours), 24)
        want = sql("asos", f"select max(gust) from {table('asos', 'alldata')}"
                   " where station = 'DSM' "
                   "and valid >= '2020-08-10' and valid < '2020-08-11'")[0][0]
        gusts = [float(r["gust"]) for r in rows if r["gust"]]
        self.assertEqual(max(gusts), float(want))
        self.assertGreater(max(gusts), 60)

    def test_shef_of_one_gauge(self):
        rows = self.rows("/api/shef", {"station": "AESI4", "sts": "2025-09-01",
                                       "ets": "2025-09-03"})
        self.assertEqual(len(rows), 776)
        for row in rows:
            for name in ("pe", "duration", "unit"):
                self.assertTrue(row[name], f"{name} of {row}")

    def test_climodat_of_a_leap_year(self):
        rows = self.rows("/api/climodat", {"station": "IATDSM", "sts": "2012-01-01",
                                           "ets": "2013-01-01"})
        self.assertEqual(len(rows), 366)

    def test_edge_texts_in_csv_and_json(self):
        """Newlines, tabs, quotes and letters beyond ASCII come back as the database has them."""
        params = {"station": "XTS", "vars": "metar"}
        dataset = "asos"
        want = sorted(r[0] for r in sql(dataset, "select encode(convert_to(metar, 'UTF8'), 'hex') "
                                        f"from {table('asos', 'alldata')} where station = 'XTS' "
                                        "and metar is not null"))
        self.assertGreater(len(want), 0)
        for form in ("csv", "tsv", "json", "ndjson"):
            with self.subTest(form=form):
                got = sorted(r["metar"].encode().hex() for r in self.rows(
                    "/api/metar", params, form) if r["metar"] is not None)
                # csv tells null and empty apart by quotes, which readers drop
                self.assertEqual([t for t in got if t], [t for t in want if t])
