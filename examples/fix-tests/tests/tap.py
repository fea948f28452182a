"""Runs the tests and reports them as TAP, with nothing but the standard library."""

import sys
import unittest


class Tap(unittest.TestResult):
    def line(self, word, test):
        print(f"{word} {self.testsRun} - {test.id()}")

    def addSuccess(self, test):
        self.line("ok", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.line("not ok", test)
        for line in self.failures[-1][1].splitlines():
            print(f"# {line}")

    def addError(self, test, error):
        super().addError(test, error)
        self.line("not ok", test)


tests = unittest.defaultTestLoader.discover(".")
print(f"1..{tests.countTestCases()}")
result = Tap()
tests.run(result)
sys.exit(not result.wasSuccessful())
