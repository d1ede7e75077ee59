"""Refused requests: every fault at once, the nearest valid name, the right status."""
from archive import ENDPOINTS, HttpTest, a_month, busiest


class Faults(HttpTest):
    def faults(self, path, params, status=400):
        """The errors by parameter."""
        found = {}
        for error in self.problem(status, path, params)["errors"]:
            found.setdefault(error["parameter"], []).append(error)
        return found

    def test_all_at_once(self):
        found = self.faults("/api/metar", {
            "station": busiest("/api/metar")[0], "statoin": "DSM", "sts": "2024-13-01",
            "vars": "tmpf,tmppf", "format": "cvs", "limit": "-1", "tz": "America/Chicagoo",
            "order": "up"})
        self.assertEqual(set(found), {"statoin", "sts", "vars", "format", "limit", "tz", "order"})

    def test_nearest_names(self):
        cases = [("statoin", "DSM", "station"), ("vars", "tmppf", "tmpf"), ("format", "cvs", "csv"),
                 ("tz", "America/Chicagoo", "America/Chicago")]
        for param, value, near in cases:
            with self.subTest(param=param):
                detail = self.faults("/api/metar", {param: value})[param][0]["detail"]
                self.assertIn(near, detail)

    def test_unknown_station_is_named(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                error = self.faults(path, {"station": busiest(path)[0] + ",QQQQ9"})["station"][0]
                self.assertEqual(error["value"], "QQQQ9")

    def test_nearest_station(self):
        station = busiest("/api/climodat")[0]
        error = self.faults("/api/climodat", {"station": station + "X"})["station"][0]
        self.assertIn(station[:3], error["detail"])

    def test_several_unknown_stations_are_all_named(self):
        found = self.faults("/api/metar", {"station": "QQQ1,QQQ2,QQQ3"})["station"]
        self.assertEqual({e["value"] for e in found}, {"QQQ1", "QQQ2", "QQQ3"})

    def test_unknown_network_state_wfo(self):
        for param in ("network", "state", "wfo", "country"):
            with self.subTest(param=param):
                self.assertIn(param, self.faults("/api/metar", {param: "Q_Q"}))

    def test_times(self):
        for value in ("2024-02-30", "2024-1-1", "yesterday", "2024-06-01T25:00", "2024-06-01 00:60",
                      "20240601T", "2024-06-01T00:00:00+99:00", "999999999999999999"):
            with self.subTest(value=value):
                self.assertIn("sts", self.faults("/api/metar", {"sts": value}))

    def test_window_turned_round(self):
        found = self.faults("/api/metar", {"sts": "2024-02-01", "ets": "2024-01-01"})
        self.assertTrue({"sts", "ets"} & set(found))

    def test_text_of_users_stays_text(self):
        for value in ("'; drop table alldata; --", "\\", "$$", "DSM' OR '1'='1", "%00", "\x01"):
            for param in ("station", "network", "vars", "sts", "tz", "format"):
                with self.subTest(param=param, value=value):
                    self.assertIn(param, self.faults("/api/metar", {param: value}))

    def test_bytes_that_are_no_utf8(self):
        self.problem(400, "/api/metar", "station=%ff%fe")
        self.problem(400, "/api/metar", "station=%zz")

    def test_empty_values_count_as_absent(self):
        params = a_month("/api/metar")
        self.assertEqual(self.ok("/api/metar", {**params, "vars": "", "tz": ""}).raw,
                         self.ok("/api/metar", params).raw)

    def test_accept_of_nothing_offered(self):
        self.problem(406, "/api/metar", a_month("/api/metar"), headers={"Accept": "image/png"})

    def test_known_station_without_rows(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                answer = self.ok(path, {"station": busiest(path)[0], "sts": "1931-01-01",
                                        "ets": "1931-01-01"})
                self.assertEqual(answer.raw.count(b"\n"), 1)
                self.assertTrue(answer.text.startswith("station,"))
