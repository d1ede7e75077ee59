#!/usr/bin/env python3
"""Measures obstreamd against its bars, inside tests/with-archive (see tests/bench/run).

usage: bars.py [--json FILE] [--only WORD] [--rounds N]

Prints a line per bar:  NAME MEDIAN (MIN-MAX) TARGET ok|short
Exit status 1 when a bar is missed.

  memory-N        peak resident megabytes while 20 clients download N rows each, all columns
  memory-growth   peak at the largest N over the peak at the middle one
  first-byte      milliseconds until the first byte of the largest answer
  small-beside-8  milliseconds of a 10-row request beside 8 downloads of the largest answer
  copy-ratio      time of psql's COPY as CSV over ours: one station, all columns, plain
  gzip-ratio      our time with gzip over plain, same rows
Times are of the wall clock, alternating, medians of the rounds.
"""
import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse

URL = os.environ["OBSTREAM_URL"]
PID = os.environ["OBSTREAMD_PID"]
TABLE = "asos.alldata"


def sql(query):
    run = subprocess.run([os.environ["PSQL"], "-X", "-At", "-F", "\t", "-d",
                          os.environ["OBSTREAM_DSN"], "-c", query],
                         capture_output=True, text=True, check=True)
    return [line.split("\t") for line in run.stdout.splitlines()]


def url(**params):
    return f"{URL}/api/metar?" + urllib.parse.urlencode(params)


def curl(target, *options):
    return subprocess.Popen(["curl", "-sSf", "-o", "/dev/null", *options, target])


def finish(processes):
    for process in processes:
        if process.wait() != 0:
            sys.exit(f"bars.py: {' '.join(process.args)} failed with {process.returncode}")


def timed(start):
    """Seconds of one process from start to end."""
    begin = time.perf_counter()
    finish([start()])
    return time.perf_counter() - begin


def stations_for(rows):
    """Stations that have about so many rows together, and how many exactly."""
    chosen, total = [], 0
    for station, count in STATIONS:
        if chosen and total + count > rows * 1.02:
            break
        chosen.append(station)
        total += count
    return ",".join(chosen), total


class Report:
    def __init__(self):
        self.bars = []

    def add(self, name, values, limit, unit, most=True, judged=None):
        """`judged` (standard: the median) must be at most, or at least, the limit."""
        middle = statistics.median(values)
        judged = middle if judged is None else judged
        good = judged <= limit if most else judged >= limit
        target = f"{'<=' if most else '>='} {limit:g}{unit}"
        print(f"{name:18s} {middle:8.2f} ({min(values):.2f}-{max(values):.2f}) {target:12s} "
              f"{'ok' if good else 'short'}", flush=True)
        self.bars.append({"name": name, "median": middle, "min": min(values), "max": max(values),
                          "target": target, "ok": good})


def peak_reset():
    with open(f"/proc/{PID}/clear_refs", "w", encoding="ascii") as refs:
        refs.write("5")


def peak_megabytes():
    with open(f"/proc/{PID}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM")


def memory(report, options):
    peaks = {}
    for wanted in (200_000, 2_000_000, 4_000_000):
        stations, rows = stations_for(wanted)
        peak_reset()
        begin = time.perf_counter()
        finish([curl(url(station=stations)) for _ in range(20)])
        seconds = time.perf_counter() - begin
        peaks[wanted] = peak_megabytes()
        rate = 20 * rows / seconds
        print(f"# 20 x {rows} rows in {seconds:.1f} s: {rate:.0f} rows/s", flush=True)
        report.add(f"memory-{wanted}", [peaks[wanted]], 64, "MB")
    report.add("memory-growth", [peaks[4_000_000] / peaks[2_000_000]], 1.1, "")


def first_byte(report, options):
    stations, _ = stations_for(4_000_000)
    times = []
    for i in range(options.rounds + 1):
        parts = urllib.parse.urlsplit(url(station=stations))
        connection = http.client.HTTPConnection(parts.netloc, timeout=60)
        begin = time.perf_counter()
        connection.request("GET", f"{parts.path}?{parts.query}")
        connection.getresponse().read(1)
        if i > 0:  # the first one warms
            times.append((time.perf_counter() - begin) * 1000)
        connection.close()
        time.sleep(0.5)
    report.add("first-byte", times, 100, "ms")


def small_beside(report, options):
    stations, _ = stations_for(4_000_000)
    large = [curl(url(station=stations)) for _ in range(8)]
    time.sleep(1)
    times = []
    for _ in range(4 * options.rounds):
        begin = time.perf_counter()
        finish([curl(url(station=STATIONS[0][0], limit=10))])
        times.append((time.perf_counter() - begin) * 1000)
        time.sleep(0.2)
    if any(process.poll() is not None for process in large):
        sys.exit("bars.py: a download ended before the small requests: the archive is too small")
    for process in large:
        process.terminate()
        process.wait()
    report.add("small-beside-8", times, 200, "ms", judged=max(times))


def live(report, options):
    station, rows = STATIONS[0]
    columns = COLUMNS
    ours = url(station=station, vars=",".join(columns[2:]))
    copy = (f"copy (select {', '.join(columns)} from {TABLE} where station = '{station}' "
            "order by valid) to stdout csv header")
    with open(os.devnull, "wb") as null:
        def psql():
            return subprocess.Popen([os.environ["PSQL"], "-X", "-d", os.environ["OBSTREAM_DSN"],
                                     "-c", copy], stdout=null)
        runs = {"psql": psql, "plain": lambda: curl(ours),
                "gzip": lambda: curl(ours, "-H", "Accept-Encoding: gzip")}
        times = {name: [] for name in runs}
        for i in range(options.rounds + 1):
            for name, start in runs.items():
                seconds = timed(start)
                if i > 0:
                    times[name].append(seconds)
    print(f"# {rows} rows, {len(columns)} columns: " + ", ".join(
        f"{name} {statistics.median(t):.3f} s" for name, t in times.items()), flush=True)
    report.add("copy-ratio", ratios(times["psql"], times["plain"]), 1.25, "", most=False)
    report.add("gzip-ratio", ratios(times["gzip"], times["plain"]), 1.1, "")


def ratios(a, b):
    """Round by round, so that a slow moment of the machine touches both sides."""
    return [x / y for x, y in zip(a, b)]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


OPTIONS = parse_options()
STATIONS = [(s, int(n)) for s, n in sql(f"select station, count(*) from {TABLE} group by station "
                                        "order by count(*) desc, station")]
TABLE_COLUMNS = {r[0] for r in sql("select column_name from information_schema.columns where "
                                   "table_schema = 'asos' and table_name = 'alldata'")}


def answer_columns():
    """Those of the standard answer that the table has under the same name."""
    run = subprocess.run(["curl", "-sSf", url(station=STATIONS[0][0], limit=1)],
                         capture_output=True, text=True, check=True)
    return [c for c in run.stdout.split("\n", 1)[0].split(",") if c in TABLE_COLUMNS]


COLUMNS = answer_columns()


def main():
    report = Report()
    for part in (live, first_byte, small_beside, memory):
        if OPTIONS.only in part.__name__:
            part(report, OPTIONS)
    if OPTIONS.json:
        with open(OPTIONS.json, "w", encoding="ascii") as out:
            json.dump({"cores": os.cpu_count(), "rows": sum(n for _, n in STATIONS),
                       "bars": report.bars}, out, indent=2)
            out.write("\n")
    return 0 if all(bar["ok"] for bar in report.bars) else 1


if __name__ == "__main__":
    sys.exit(main())
