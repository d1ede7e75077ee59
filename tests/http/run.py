#!/usr/bin/env python3
"""Runs the HTTP tests against the server of OBSTREAM_URL and prints TAP.

usage: run.py [--skip REASON] [NAME]...

NAME is module[.Class[.test]]; TESTS=WORD in the environment takes the tests whose names hold WORD.
--skip runs nothing and counts what OBSTREAM_ARCHIVE would have run. A test class tells by its
`archives` where it applies; elsewhere it is not counted at all.
"""
import argparse
import os
import sys
import time
import traceback
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.number, self.bad, self.began = 0, False, time.monotonic()

    def report(self, word, test, tail="", text=""):
        self.number += 1
        seconds = time.monotonic() - self.began
        print(f"{word} {self.number} - {test.id()}{tail}" +
              (f" ({seconds:.1f} s)" if seconds >= 1 else ""))
        for line in text.splitlines():
            print("# " + line)
        sys.stdout.flush()

    def fault(self, test, err):
        self.bad = True
        self.report("not ok", test, text="".join(traceback.format_exception(*err)))

    def startTest(self, test):
        super().startTest(test)
        self.faults, self.began = [], time.monotonic()

    def addSuccess(self, test):
        self.report("ok", test)

    def addFailure(self, test, err):
        self.fault(test, err)

    def addError(self, test, err):
        self.fault(test, err)

    def addSkip(self, test, reason):
        self.report("ok", test, f" # SKIP {reason}")

    def addSubTest(self, test, subtest, err):
        """A test with failed parts counts once, with all of them told."""
        if err is not None:
            self.faults.append((subtest, err))

    def stopTest(self, test):
        super().stopTest(test)
        if self.faults:
            self.bad = True
            text = "\n".join(f"{subtest.id()}\n" + "".join(traceback.format_exception(*err))
                             for subtest, err in self.faults)
            self.report("not ok", test, text=text)


def flatten(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skip", metavar="REASON")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    loader = unittest.TestLoader()
    found = loader.loadTestsFromNames(options.names) if options.names else \
        loader.discover(HERE, pattern="test_*.py")
    kind = os.environ.get("OBSTREAM_ARCHIVE", "synth")
    tests = [t for t in flatten(found) if kind in getattr(t, "archives", (kind,))
             and os.environ.get("TESTS", "") in t.id()]
    print(f"1..{len(tests)}")
    result = TapResult()
    for test in tests:
        if options.skip is None:
            test.run(result)
        else:
            result.addSkip(test, options.skip)
    sys.exit(1 if result.bad else 0)


if __name__ == "__main__":
    main()
