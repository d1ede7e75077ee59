"""What the HTTP tests share: requests, raw connections, the database, readers of each format.

tests/with-archive sets the environment: OBSTREAM_URL, OBSTREAM_DSN, OBSTREAM_ARCHIVE (synth, real
or iem), OBSTREAMD_PID, PSQL. One test by hand:

    tests/with-archive tests/http/run.py test_formats.Formats.test_tsv
"""
import csv
import functools
import http.client
import io
import json
import os
import re
import socket
import subprocess
import time
import unittest
import urllib.parse
import xml.etree.ElementTree
import zipfile
import zlib

ARCHIVE = os.environ.get("OBSTREAM_ARCHIVE", "synth")
TIMEOUT = 120  # seconds; sanitizers are slow

# Per endpoint: data set and table, columns of station and time, and a type of the time.
ENDPOINTS = {
    "/api/metar": ("asos", "alldata", "valid"),
    "/api/shef": ("hads", "raw", "valid"),
    "/api/climodat": ("coop", "alldata", "day"),
}
FORMATS = ("csv", "tsv", "json", "ndjson", "geojson", "table")


def address():
    url = urllib.parse.urlsplit(os.environ["OBSTREAM_URL"])
    return url.hostname, url.port


def encode_query(params):
    """A dict (values may be lists), a list of pairs, or text as it is."""
    if isinstance(params, str):
        return params
    return urllib.parse.urlencode(params, doseq=True)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.raw = status, headers, body

    @property
    def body(self):
        """The bytes without their content coding."""
        coding = self.headers.get("Content-Encoding")
        if coding is None:
            return self.raw
        assert coding == "gzip", f"unexpected Content-Encoding {coding}"
        return gunzip_one(self.raw)

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def media_type(self):
        return self.headers.get("Content-Type", "").split(";")[0]


def gunzip_one(data):
    """Exactly one gzip member that ends where the data ends."""
    z = zlib.decompressobj(31)
    plain = z.decompress(data) + z.flush()
    assert z.eof, "the gzip member has no end"
    assert z.unused_data == b"", f"{len(z.unused_data)} bytes follow the gzip member"
    return plain


def request(path, params=None, method="GET", headers=None, body=None, gzip=False):
    """One request on a connection of its own. http.client.IncompleteRead tells a cut answer."""
    target = path + ("?" + encode_query(params) if params else "")
    headers = dict(headers or {})
    if gzip:
        headers["Accept-Encoding"] = "gzip"
    connection = http.client.HTTPConnection(*address(), timeout=TIMEOUT)
    try:
        connection.putrequest(method, target, skip_accept_encoding=True)
        if body is not None:
            headers.setdefault("Content-Length", str(len(body)))
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


class Raw:
    """A connection on which a test writes and reads bytes itself."""

    def __init__(self, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(address())
        self.pending = b""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def get(self, target, *headers, version="1.1"):
        self.send("\r\n".join([f"GET {target} HTTP/{version}", "Host: test", *headers, "", ""]))

    def more(self):
        """False at the end of the connection, orderly or not."""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.pending += data
        return data != b""

    def line(self):
        while b"\r\n" not in self.pending:
            if not self.more():
                return None
        line, self.pending = self.pending.split(b"\r\n", 1)
        return line.decode("latin-1")

    def exactly(self, count):
        """None when the connection ends before."""
        while len(self.pending) < count:
            if not self.more():
                return None
        data, self.pending = self.pending[:count], self.pending[count:]
        return data

    def rest(self):
        while self.more():
            pass
        data, self.pending = self.pending, b""
        return data

    def head(self):
        """Status (None when the connection ended without one) and headers in lower case."""
        line = self.line()
        if line is None:
            return None, {}
        headers = {}
        while True:
            field = self.line()
            if not field:
                return int(line.split()[1]), headers
            name, value = field.split(":", 1)
            headers[name.lower()] = value.strip()

    def chunks(self):
        """The chunks of a body; an empty one comes last if, and only if, the answer is whole."""
        while True:
            size = self.line()
            if size is None:
                return
            data = self.exactly(int(size.split(";")[0], 16))
            if data is None or self.exactly(2) != b"\r\n":
                return
            yield data
            if data == b"":
                return

    def whole_body(self):
        """The chunked body, or None when it was aborted."""
        parts = list(self.chunks())
        return b"".join(parts) if parts and parts[-1] == b"" else None


# --- the database ---

def sql(dataset, query):
    """Rows as lists of text. `dataset` says which database in the IEM layout."""
    dsn = os.environ["OBSTREAM_DSN"]
    if ARCHIVE == "iem":
        dsn = re.sub(r"dbname=\S+", "dbname=" + dataset, dsn)
    run = subprocess.run([os.environ["PSQL"], "-X", "-At", "-F", "\t", "-v", "ON_ERROR_STOP=1",
                          "-d", dsn, "-c", "set timezone = 'UTC'", "-c", query],
                         capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if run.returncode != 0:
        raise AssertionError(f"psql failed at {query}:\n{run.stderr}")
    return [line.split("\t") for line in run.stdout.splitlines()[1:]]


def table(dataset, name):
    return name if ARCHIVE == "iem" else f"{dataset}.{name}"


def count(path, where="true"):
    """Rows of an endpoint's table. The station is trimmed: char(6) pads it."""
    dataset, name, _ = ENDPOINTS[path]
    return int(sql(dataset, f"select count(*) from {table(dataset, name)} where {where}")[0][0])


def terminate_backends():
    """Kills the server's queries as an administrator would; tells how many there were."""
    return int(sql("asos", "select count(pg_terminate_backend(pid)) from pg_stat_activity where "
                   "application_name = 'obstreamd' and state = 'active'")[0][0])


def active_backends():
    return int(sql("asos", "select count(*) from pg_stat_activity where "
                   "application_name = 'obstreamd' and state = 'active'")[0][0])


def eventually(condition, seconds=20):
    """Waits until the condition holds; its last value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.1)


@functools.lru_cache(maxsize=None)
def busiest(path):
    """The station with the most rows, and its first and last time as text."""
    dataset, name, when = ENDPOINTS[path]
    row = sql(dataset, f"select trim(station), min({when}), max({when}) from "
              f"{table(dataset, name)} group by station order by count(*) desc, station limit 1")
    return tuple(row[0])


@functools.lru_cache(maxsize=None)
def a_month(path):
    """Parameters that select the busiest station's last whole month but one."""
    dataset, name, when = ENDPOINTS[path]
    station = busiest(path)[0]
    first, last = sql(dataset, f"""select to_char(m, 'YYYY-MM-DD'),
        to_char(m + interval '1 month', 'YYYY-MM-DD') from (
        select date_trunc('month', max({when})) as m from {table(dataset, name)}
        where station = '{station}') t""")[0]
    return {"station": station, "sts": first, "ets": last}


def where(path, params):
    """The SQL condition of a selection by station, sts and ets."""
    when = ENDPOINTS[path][2]
    terms = ["true"]
    if "station" in params:
        ids = "', '".join(params["station"].split(","))
        terms.append(f"station in ('{ids}')")
    if "sts" in params:
        terms.append(f"{when} >= '{params['sts']}'")
    if "ets" in params:
        terms.append(f"{when} < '{params['ets']}'")
    return " and ".join(terms)


# --- readers: each returns the rows as dicts of values by name ---

def rows_csv(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def rows_tsv(text):
    escapes = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
    lines = [[re.sub(r"\\([tnr\\])", lambda m: escapes[m.group(1)], field)
              for field in line.split("\t")] for line in text.split("\n")[:-1]]
    for line in lines:
        assert len(line) == len(lines[0]), f"{len(line)} fields, not {len(lines[0])}: {line}"
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def rows_json(text):
    document = json.loads(text)
    assert document["rows"] == len(document["data"])
    for row in document["data"]:
        assert list(row) == [c["name"] for c in document["columns"]]
    return document["data"]


def rows_ndjson(text):
    return [json.loads(line) for line in text.split("\n")[:-1]]


def rows_geojson(text):
    document = json.loads(text)
    assert document["type"] == "FeatureCollection"
    assert document["rows"] == len(document["features"])
    for feature in document["features"]:
        assert feature["type"] == "Feature" and "geometry" in feature
    return [feature["properties"] for feature in document["features"]]


def rows_table(text):
    document = json.loads(text)
    assert document["rows"] == len(document["data"])
    for row in document["data"]:
        assert list(row) == [f["name"] for f in document["schema"]["fields"]]
    return document["data"]


SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def sheet_cell(cell):
    """The value of a cell, None when it is empty."""
    text = cell.find(f"{SHEET}v")
    if cell.get("t") == "inlineStr":
        return "".join(t.text or "" for t in cell.iter(f"{SHEET}t"))
    if text is None:
        return None
    return text.text == "1" if cell.get("t") == "b" else float(text.text)


def sheet_rows(data):
    """The rows of a spreadsheet's only sheet as lists, read without any library for it."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        root = xml.etree.ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    rows = []
    for row in root.iter(f"{SHEET}row"):
        values = {}
        for cell in row.iter(f"{SHEET}c"):
            column = 0
            for letter in re.match("[A-Z]+", cell.get("r")).group():
                column = column * 26 + ord(letter) - 64
            values[column - 1] = sheet_cell(cell)
        rows.append([values.get(i) for i in range(max(values) + 1)])
    return rows


READERS = {"csv": rows_csv, "tsv": rows_tsv, "json": rows_json, "ndjson": rows_ndjson,
           "geojson": rows_geojson, "table": rows_table}


def as_text(value):
    """A JSON value as csv prints it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class HttpTest(unittest.TestCase):
    """Base of all tests. `archives` names the kinds of archive a class applies to."""
    archives = ("synth", "real", "iem")

    def setUp(self):
        if ARCHIVE not in self.archives:
            self.skipTest(f"needs an archive of kind {' or '.join(self.archives)}")

    def ok(self, path, params=None, **options):
        answer = request(path, params, **options)
        self.assertEqual(answer.status, 200, answer.raw[:2000])
        return answer

    def rows(self, path, params=None, form="csv", **options):
        answer = self.ok(path, {**(params or {}), "format": form}, **options)
        return READERS[form](answer.text)

    def problem(self, status, path, params=None, **options):
        """A refused request: its problem document."""
        answer = request(path, params, **options)
        self.assertEqual(answer.status, status, answer.raw[:2000])
        self.assertEqual(answer.media_type, "application/problem+json")
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
        document = answer.json
        self.assertEqual(document["status"], status)
        for member in ("type", "title", "detail"):
            self.assertTrue(document[member], f"{member} is missing")
        return document
