"""The database fails in mid-answer: the client gets the whole right answer or an aborted one."""
import http.client
import threading
import time

from archive import (HttpTest, Raw, a_month, busiest, encode_query, eventually, gunzip_one, request,
                     terminate_backends)


class Killer:
    """Ends the server's queries again and again while a block runs."""

    def __init__(self, pause):
        self.pause, self.killed = pause, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ended.is_set():
            self.killed += terminate_backends()
            self.ended.wait(self.pause)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.ended.set()
        self.thread.join()


class BackendKilled(HttpTest):
    def whole_or_aborted(self, target, want, *headers):
        """One download beside a killer, reading slowly; the number of queries it killed."""
        with Killer(0.01) as killer, Raw(receive_buffer=4096) as raw:
            raw.get(target, *headers)
            status, fields = raw.head()
            if status == 200:
                parts, whole = [], False
                for part in raw.chunks():
                    parts.append(part)
                    whole = part == b""
                    if len(parts) < 30:
                        time.sleep(0.02)
                if whole:
                    body = b"".join(parts)
                    if fields.get("content-encoding") == "gzip":
                        body = gunzip_one(body)
                    self.assertTrue(body == want, "a cut answer looks whole")
            else:
                self.assertIn(status, (502, 503, 504, None))
        return killer.killed

    def repeated(self, params, *headers):
        target = "/api/metar?" + encode_query(params)
        want = self.ok("/api/metar", params).raw
        killed = 0
        for _ in range(20):
            killed += self.whole_or_aborted(target, want, *headers)
            if killed >= 3:
                break
        self.assertGreater(killed, 0, "no query was ever caught")
        self.assertTrue(eventually(lambda: request("/readyz").status == 200))
        again = self.ok("/api/metar", a_month("/api/metar"))
        self.assertGreater(again.raw.count(b"\n"), 1)

    def test_plain(self):
        self.repeated({"vars": "metar"})

    def test_gzip(self):
        self.repeated({"vars": "metar"}, "Accept-Encoding: gzip")

    def test_one_station(self):
        self.repeated({"station": busiest("/api/metar")[0]})

    def test_json(self):
        self.repeated({"vars": "metar", "format": "json"})

    def test_http_1_0(self):
        """It is completed first, so it is either whole or a proper error."""
        params = {"station": busiest("/api/metar")[0]}
        want = self.ok("/api/metar", params).raw
        for _ in range(3):
            with Killer(0.01), Raw() as raw:
                raw.get("/api/metar?" + encode_query(params), version="1.0")
                status, headers = raw.head()
                body = raw.rest()
            self.assertIn(status, (200, 502, 503, 504, None))
            if status == 200 and len(body) == int(headers["content-length"]):
                self.assertTrue(body == want)

    def test_next_request_is_served(self):
        """Idle connections of the pool were killed: nobody notices."""
        from archive import sql
        for _ in range(3):
            sql("asos", "select pg_terminate_backend(pid) from pg_stat_activity where "
                "application_name = 'obstreamd'")
            try:
                self.ok("/api/metar", a_month("/api/metar"))
            except http.client.HTTPException as fault:
                self.fail(f"the request after the kill failed: {fault!r}")
