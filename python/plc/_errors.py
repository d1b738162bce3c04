"""Errors of the compiler and of the runtime as exceptions."""
from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

_PROGRAMS = {"plc", "plc-compile", "plc-run"}
_PLACE = re.compile(r"(.*):(\d+):(\d+)\Z", re.S)


class Diagnostic(NamedTuple):
    """One error: its text, and its place in a file. Lines and columns count from 1; None without a place."""

    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None


class Error(Exception):
    """What plc refuses, or what failed while a model ran.

    `str(error)` is the whole report as the programs print it: `FILE:LINE:COLUMN: error: TEXT`, the line of the file
    with a caret, and notes.

    message       the text of the first error
    file, line, column
                  its place, counted from 1; None without a place
    exit_code     1 bad input, 2 bad usage, 3 no plan fits, 4 a peer is lost, 5 a rank hangs, 6 a step is not finite,
                  70 an internal error
    diagnostics   all errors of the report
    notes         the texts of its notes
    """

    def __init__(self, report: str, exit_code: int = 2):
        super().__init__(report.rstrip("\n"))
        self.exit_code = exit_code
        self.diagnostics: List[Diagnostic] = []
        self.notes: List[str] = []
        for line in report.split("\n"):
            place, kind, text = _split(line)
            if kind == "error":
                self.diagnostics.append(_diagnostic(place, text))
            elif kind == "note":
                self.notes.append(f"{place}: {text}" if place else text)
        first = self.diagnostics[0] if self.diagnostics else Diagnostic(report.strip())
        self.message, self.file, self.line, self.column = first


def usage_error(text: str) -> Error:
    """An error of a call of this package."""
    return Error(f"plc: error: {text}", 2)


def _split(line: str):
    """`PLACE: KIND: TEXT` or `KIND: TEXT` as (place, kind, text); kind is None for any other line."""
    match = re.match(r"(?:(.*?): )?(error|note): (.*)", line)
    return (match[1] or "", match[2], match[3]) if match else ("", None, line)


def _diagnostic(place: str, text: str) -> Diagnostic:
    if match := _PLACE.match(place):
        return Diagnostic(text, match[1], int(match[2]), int(match[3]))
    return Diagnostic(text, None if not place or place in _PROGRAMS else place)
