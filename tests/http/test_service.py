"""Liveness, methods, negotiation of the coding, headers on every answer."""
import json
import os
import re
import subprocess
import urllib.parse

from archive import ENDPOINTS, HttpTest, Raw, a_month, encode_query, request


class Health(HttpTest):
    def test_healthz(self):
        self.ok("/healthz")

    def test_readyz(self):
        self.ok("/readyz")

    def test_head_of_healthz(self):
        answer = self.ok("/healthz", method="HEAD")
        self.assertEqual(answer.raw, b"")


class Methods(HttpTest):
    def test_head_has_the_headers_of_get(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                get = self.ok(path, a_month(path))
                head = self.ok(path, a_month(path), method="HEAD")
                self.assertEqual(head.raw, b"")
                for name in ("Content-Type", "Vary", "Access-Control-Allow-Origin"):
                    self.assertEqual(head.headers[name], get.headers[name], name)

    def test_head_of_a_faulty_request(self):
        answer = request("/api/metar", {"statoin": "DSM"}, method="HEAD")
        self.assertEqual((answer.status, answer.raw), (400, b""))

    def test_options(self):
        for path in [*ENDPOINTS, "/api/stations", "/api/networks"]:
            with self.subTest(path=path):
                answer = request(path, method="OPTIONS", headers={
                    "Origin": "http://example.org", "Access-Control-Request-Method": "GET"})
                self.assertIn(answer.status, (200, 204))
                self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
                allowed = answer.headers["Allow"].replace(" ", "").split(",")
                self.assertLessEqual({"GET", "HEAD", "OPTIONS", "POST"}, set(allowed))

    def test_post_form_equals_get(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                form = encode_query(a_month(path)).encode()
                post = self.ok(path, method="POST", body=form, headers={
                    "Content-Type": "application/x-www-form-urlencoded"})
                self.assertEqual(post.raw, self.ok(path, a_month(path)).raw)

    def test_post_adds_to_the_query(self):
        params = a_month("/api/metar")
        form = encode_query({"station": params["station"]}).encode()
        post = self.ok("/api/metar", {k: params[k] for k in ("sts", "ets")}, method="POST",
                       body=form, headers={"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(post.raw, self.ok("/api/metar", params).raw)

    def test_post_of_a_selection_too_long_for_a_url(self):
        params = a_month("/api/metar")
        form = encode_query([("station", params["station"])] * 20000 + list(params.items()))
        post = self.ok("/api/metar", method="POST", body=form.encode(), headers={
            "Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(post.raw, self.ok("/api/metar", params).raw)

    def test_post_of_another_type(self):
        self.problem(415, "/api/metar", method="POST", body=b"{}",
                     headers={"Content-Type": "application/json"})

    def test_body_beyond_the_limit(self):
        with Raw() as raw:
            raw.send("POST /api/metar HTTP/1.1\r\nHost: test\r\nContent-Length: 99999999\r\n"
                     "Content-Type: application/x-www-form-urlencoded\r\n\r\n")
            self.assertEqual(raw.head()[0], 413)

    def test_other_methods(self):
        for method in ("PUT", "DELETE", "PATCH"):
            with self.subTest(method=method):
                answer = request("/api/metar", method=method)
                self.assertEqual(answer.status, 405)
                self.assertIn("GET", answer.headers["Allow"])

    def test_unknown_path(self):
        for path in ("/api/metars", "/", "/api/", "/api/metar/none", "/..%2f..%2fetc/passwd"):
            with self.subTest(path=path):
                self.problem(404, path)


class Coding(HttpTest):
    def test_gzip_equals_plain(self):
        for path in ENDPOINTS:
            with self.subTest(path=path):
                plain = self.ok(path, a_month(path))
                packed = self.ok(path, a_month(path), gzip=True)
                self.assertNotIn("Content-Encoding", plain.headers)
                self.assertEqual(packed.headers["Content-Encoding"], "gzip")
                self.assertEqual(packed.body, plain.raw)
                self.assertLess(len(packed.raw), len(plain.raw))

    def test_gzip_of_an_answer_without_rows(self):
        params = {**a_month("/api/metar"), "sts": "1931-01-01", "ets": "1931-01-02"}
        plain = self.ok("/api/metar", params)
        self.assertEqual(plain.raw.count(b"\n"), 1, "the header line alone")
        self.assertEqual(self.ok("/api/metar", params, gzip=True).body, plain.raw)

    def test_vary(self):
        for gzip in (False, True):
            answer = self.ok("/api/metar", a_month("/api/metar"), gzip=gzip)
            self.assertIn("accept-encoding", answer.headers["Vary"].lower())

    def test_accept_encoding(self):
        cases = [("gzip", True), ("x-gzip", True), ("GZIP", True), ("br, gzip;q=0.5", True),
                 ("*", True), ("gzip;q=0", False), ("identity", False), ("br", False),
                 ("identity;q=1, gzip;q=0", False), ("*;q=0.1, gzip;q=0", False),
                 ("gzip;q=1.0, *;q=0", True), ("", False), ("gzip;q=0.000", False),
                 ("identity;q=1, gzip;q=0.5", False)]
        for value, packed in cases:
            with self.subTest(accept_encoding=value):
                answer = self.ok("/api/metar", a_month("/api/metar"),
                                 headers={"Accept-Encoding": value})
                self.assertEqual(answer.headers.get("Content-Encoding") == "gzip", packed)


class Headers(HttpTest):
    def test_cors_everywhere(self):
        for path in ("/healthz", "/readyz", "/api/stations", "/api/nothing", "/api/metar?bad=1"):
            with self.subTest(path=path):
                self.assertEqual(request(path).headers["Access-Control-Allow-Origin"], "*")

    def test_filename(self):
        answer = self.ok("/api/metar", {**a_month("/api/metar"), "filename": "my data.csv"})
        self.assertIn("my data.csv", urllib.parse.unquote(answer.headers["Content-Disposition"]))
        self.assertTrue(answer.headers["Content-Disposition"].startswith("attachment"))

    def test_filename_cannot_add_headers(self):
        answer = request("/api/metar", {**a_month("/api/metar"), "filename": "a\r\nX-Bad: 1"})
        self.assertIsNone(answer.headers["X-Bad"])

    def test_request_id(self):
        one, two = (self.ok("/healthz").headers["X-Request-Id"] for _ in range(2))
        self.assertTrue(one)
        self.assertNotEqual(one, two)


class Description(HttpTest):
    def describe(self):
        run = subprocess.run([os.environ["OBSTREAMD"], "--describe"], capture_output=True,
                             check=True, timeout=60)
        return json.loads(run.stdout)

    def test_describe_names_endpoints_and_columns(self):
        endpoints = {e["path"]: e for e in self.describe()["endpoints"]}
        for path in ENDPOINTS:
            self.assertIn(path, endpoints)
            names = [c["name"] for c in endpoints[path]["columns"]]
            self.assertEqual(len(names), len(set(names)))
            header = self.ok(path, a_month(path)).text.split("\n", 1)[0].split(",")
            self.assertLessEqual(set(header), set(names))

    def test_examples_are_accepted(self):
        """Stations of the examples need not be in this archive; all else must be right."""
        native = [e for e in self.describe()["endpoints"] if re.match(r"/api/[a-z]+$", e["path"])]
        self.assertGreaterEqual(len(native), 5)
        for endpoint in native:
            for example in endpoint["examples"]:
                with self.subTest(example=example):
                    answer = request(example)
                    faults = answer.json["errors"] if answer.status == 400 else []
                    others = [f for f in faults if f["parameter"] not in ("station", "network",
                                                                          "state", "wfo")]
                    self.assertEqual(others, [])
                    self.assertIn(answer.status, (200, 400))

    def test_check(self):
        conf = os.environ["OBSTREAM_CONF"]
        run = subprocess.run([os.environ["OBSTREAMD"], "-c", conf, "--check"],
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_check_tells_a_wrong_key(self):
        run = subprocess.run([os.environ["OBSTREAMD"], "-o", "server.prot=1", "--check"],
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("port", run.stderr)
