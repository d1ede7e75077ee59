"""HTTP itself, on raw sockets: versions, kept connections, clients that stop or misbehave."""
import time

from archive import (ENDPOINTS, HttpTest, Raw, a_month, active_backends, busiest, encode_query,
                     eventually, gunzip_one, request)


def target(path, params=None):
    return path + "?" + encode_query(a_month(path) if params is None else params)


class Versions(HttpTest):
    def test_http_1_0_has_a_length(self):
        for path in ENDPOINTS:
            with self.subTest(path=path), Raw() as raw:
                raw.get(target(path), version="1.0")
                status, headers = raw.head()
                body = raw.rest()
                self.assertEqual(status, 200)
                self.assertNotIn("transfer-encoding", headers)
                self.assertEqual(int(headers["content-length"]), len(body))
                self.assertEqual(body, self.ok(path, a_month(path)).raw)

    def test_http_1_0_gzip(self):
        with Raw() as raw:
            raw.get(target("/api/metar"), "Accept-Encoding: gzip", version="1.0")
            _, headers = raw.head()
            body = raw.rest()
            self.assertEqual(headers["content-encoding"], "gzip")
            self.assertEqual(int(headers["content-length"]), len(body))
            self.assertEqual(gunzip_one(body), self.ok("/api/metar", a_month("/api/metar")).raw)

    def test_http_1_0_large_answer(self):
        """Larger than stream.spool_memory: completed on disk first."""
        params = {"station": busiest("/api/metar")[0]}
        with Raw() as raw:
            raw.get(target("/api/metar", params), version="1.0")
            _, headers = raw.head()
            body = raw.rest()
            self.assertGreater(len(body), 256 << 10)
            self.assertEqual(int(headers["content-length"]), len(body))
            self.assertTrue(body == self.ok("/api/metar", params).raw)

    def test_missing_host(self):
        with Raw() as raw:
            raw.send("GET /healthz HTTP/1.1\r\n\r\n")
            self.assertEqual(raw.head()[0], 400)


class Connections(HttpTest):
    def test_chunks_join_to_the_body(self):
        with Raw() as raw:
            raw.get(target("/api/metar"))
            status, headers = raw.head()
            self.assertEqual(status, 200)
            if headers.get("transfer-encoding") == "chunked":
                body = raw.whole_body()
            else:
                body = raw.exactly(int(headers["content-length"]))
            self.assertEqual(body, self.ok("/api/metar", a_month("/api/metar")).raw)

    def test_kept_connection(self):
        with Raw() as raw:
            for _ in range(5):
                for path in ("/healthz", target("/api/shef"), "/api/nothing"):
                    raw.get(path)
                    status, headers = raw.head()
                    self.assertIn(status, (200, 404))
                    if "content-length" in headers:
                        self.assertIsNotNone(raw.exactly(int(headers["content-length"])))
                    else:
                        self.assertIsNotNone(raw.whole_body())

    def test_pipelined_requests(self):
        with Raw() as raw:
            raw.send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n" * 4)
            for _ in range(4):
                status, headers = raw.head()
                self.assertEqual(status, 200)
                raw.exactly(int(headers["content-length"]))

    def test_request_in_single_bytes(self):
        with Raw() as raw:
            for byte in f"GET {target('/api/shef')} HTTP/1.1\r\nHost: test\r\n\r\n":
                raw.send(byte)
            self.assertEqual(raw.head()[0], 200)

    def test_slow_reader_gets_everything(self):
        params = {"station": busiest("/api/metar")[0]}
        want = self.ok("/api/metar", params).raw
        with Raw(receive_buffer=4096) as raw:
            raw.get(target("/api/metar", params))
            self.assertEqual(raw.head()[0], 200)
            body = b""
            for i, chunk in enumerate(raw.chunks()):
                body += chunk
                if i < 20:
                    time.sleep(0.05)
            self.assertTrue(body == want)

    def test_a_small_request_beside_idle_readers(self):
        """Clients that do not read their answers hold nobody up."""
        idle = [Raw(receive_buffer=4096) for _ in range(8)]
        try:
            for raw in idle:
                raw.get(target("/api/metar", {"vars": "metar"}))
            for raw in idle:
                self.assertEqual(raw.head()[0], 200)
            start = time.monotonic()
            self.ok("/api/shef", a_month("/api/shef"))
            self.assertLess(time.monotonic() - start, 10)
        finally:
            for raw in idle:
                raw.socket.close()


class BadClients(HttpTest):
    def test_half_a_request(self):
        for text in ("GET /hea", "GET /healthz HTTP/1.1\r\nHo", "",
                     "POST /api/metar HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n"
                     "Content-Type: application/x-www-form-urlencoded\r\n\r\nstation="):
            with self.subTest(text=text):
                with Raw() as raw:
                    raw.send(text)
                    self.ok("/healthz")  # while it waits
                self.ok("/healthz")

    def test_garbage(self):
        for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
                     b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"\xff" * 1000,
                     b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n\r\n"):
            with self.subTest(data=data[:20]), Raw() as raw:
                raw.socket.settimeout(2)
                try:
                    raw.send(data)
                    status, _ = raw.head()
                    self.assertTrue(status is None or status >= 400, status)
                except (ConnectionResetError, BrokenPipeError):
                    pass  # refused, which is as good
                except TimeoutError:
                    pass  # still waits for the end of a request; idle_timeout ends that
        self.ok("/healthz")

    def test_too_long_target(self):
        answer = request("/api/metar", {"station": "A" * 70000})
        self.assertIn(answer.status, (400, 413, 414, 431))

    def test_client_vanishes_in_mid_answer(self):
        for _ in range(5):
            with Raw(receive_buffer=4096) as raw:
                raw.get(target("/api/metar", {"vars": "metar"}))
                self.assertEqual(raw.head()[0], 200)
                raw.exactly(1000)
        self.assertTrue(eventually(lambda: active_backends() == 0),
                        "queries go on although their clients are gone")
        self.ok("/api/metar", a_month("/api/metar"))

    def test_client_vanishes_at_once(self):
        for _ in range(20):
            with Raw() as raw:
                raw.get(target("/api/metar", {"vars": "metar"}))
        self.assertTrue(eventually(lambda: active_backends() == 0))
        self.ok("/api/metar", a_month("/api/metar"))

    def test_client_vanishes_with_a_reset(self):
        import socket
        import struct
        for _ in range(5):
            raw = Raw(receive_buffer=4096)
            raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.get(target("/api/metar", {"vars": "metar"}))
            raw.head()
            raw.socket.close()
        self.assertTrue(eventually(lambda: active_backends() == 0))
        self.ok("/api/metar", a_month("/api/metar"))
