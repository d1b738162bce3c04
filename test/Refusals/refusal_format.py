"""A lit format: each broken input is a test of its own, named as its file, and run beside the others."""
import os
import pathlib
import tempfile

import lit.Test
import lit.formats

import refuse


class RefusalFormat(lit.formats.FileBasedTest):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        folder = pathlib.Path(suite.getSourcePath(path_in_suite))
        for file in sorted(folder.iterdir()):
            # What stands beside the folders of inputs is the runner itself.
            if folder != pathlib.Path(__file__).parent and file.suffix in refuse.RUN:
                yield lit.Test.Test(suite, path_in_suite + (file.name,), local_config)

    def execute(self, test, lit_config):
        # The tools are found as in every other test. A worker of lit runs one test at a time, so the process's own
        # folder and environment are this test's.
        keys = "PATH", "XDG_CACHE_HOME", "PLC_RATES", "PLC_PROGRESS"
        os.environ.update({key: test.config.environment[key] for key in keys})
        case = refuse.Case(pathlib.Path(test.getSourcePath()))
        home = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case.prepare()
                problems = case.run() if case.expected else ["nothing is expected"]
            finally:
                os.chdir(home)
        return (lit.Test.FAIL, "\n  ".join(problems)) if problems else (lit.Test.PASS, "")
