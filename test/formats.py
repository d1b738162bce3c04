"""The format of most tests: RUN lines, and each source FooTest.cpp of a GoogleTest program as a test of its own, so that a
failure names the file, and workers share a program's tests. Which program has a source is known from plc_unit_test."""
import os
import pathlib
import re
import subprocess

import lit.Test
import lit.formats

# TEST(Suite, Name), TEST_F(Suite, Name); the tests of a typed suite have a name for each type.
DEFINED = re.compile(r"^(TYPED_)?TEST(?:_F)?\((\w+), (\w+)\)", re.M)


class RunLinesOrUnitTests(lit.formats.ShTest):
    def __init__(self, programs):
        """programs: source, as a path below test/, to the program that has it."""
        super().__init__(execute_external=False)
        self.programs = programs

    def getTestsForPath(self, suite, path_in_suite, lit_config, config):
        if "/".join(path_in_suite) in self.programs:
            yield lit.Test.Test(suite, path_in_suite, config)
        else:
            yield from super().getTestsForPath(suite, path_in_suite, lit_config, config)

    def execute(self, test, lit_config):
        program = self.programs.get("/".join(test.path_in_suite))
        return runUnitTests(test, program) if program else super().execute(test, lit_config)


def runUnitTests(test, program):
    defined = DEFINED.findall(pathlib.Path(test.getSourcePath()).read_text())
    names = ":".join(f"{suite}/*.{name}" if typed else f"{suite}.{name}" for typed, suite, name in defined)
    # Sources of one program run beside each other: each in a folder of its own.
    folder = test.getExecPath() + ".dir"
    os.makedirs(folder, exist_ok=True)
    command = [program, f"--gtest_filter={names}", "--gtest_brief=1"]
    run = subprocess.run(command, cwd=folder, env=test.config.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace")
    # A skipped test is named; all others pass.
    ran = [int(count) for count in re.findall(r"^\[  (?:PASSED|SKIPPED) +\] (\d+) tests?", run.stdout, re.M)]
    if run.returncode or sum(ran) < max(1, len(defined)):
        return lit.Test.FAIL, f"{' '.join(command)}\nexit code {run.returncode}; {len(defined)} tests are defined\n{run.stdout}"
    return lit.Test.PASS, ""
