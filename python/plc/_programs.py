"""The programs of a wheel as commands."""
import os
import sys

from ._library import program


def _run(name: str) -> None:
    os.execv(program(name), [name, *sys.argv[1:]])


def plc_compile() -> None:
    _run("plc-compile")


def plc_run() -> None:
    _run("plc-run")
