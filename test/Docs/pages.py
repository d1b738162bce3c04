"""lit's tests of the pages: each page of docs/, and README.md, is a test that runs its examples, in a folder with links to
what a user in the project's folder would have."""
import os
import pathlib
import shutil
import subprocess
import sys

import lit.formats
import lit.Test


class Pages(lit.formats.ShTest):
    """The .test files of the folder as everywhere, and one more test for each page."""

    def __init__(self, source):
        super().__init__(execute_external=False)
        self.source = pathlib.Path(source)

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        yield from super().getTestsInDirectory(suite, path_in_suite, lit_config, local_config)
        for page in [self.source / "README.md", *sorted((self.source / "docs").rglob("*.md"))]:
            name = "-".join(page.relative_to(self.source).parts)
            test = lit.Test.Test(suite, path_in_suite + (name,), local_config)
            test.page = page
            yield test

    def execute(self, test, lit_config):
        if not hasattr(test, "page"):
            return super().execute(test, lit_config)
        folder = pathlib.Path(test.getExecPath() + ".tmp")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("examples", "docs", "include", "python", "test", "README.md"):
            os.symlink(self.source / name, folder / name)
        os.symlink(test.config.plc_build, folder / "build")
        environment = test.config.environment | {"CC": f"{test.config.c_compiler} {test.config.c_flags}"}
        command = [sys.executable, str(self.source / "test/Docs/run_page.py"), str(test.page)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        return lit.Test.FAIL if done.returncode else lit.Test.PASS, done.stdout + done.stderr
