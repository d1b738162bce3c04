"""The parts of build_wheel.py that need no built programs; tools/try-packages uses a whole wheel in a system without LLVM."""
import re
import shutil
import subprocess
import sys
import types
import zipfile

import pytest

import build_wheel
from plc import _library, _programs


def test_a_wheel_lists_what_it_holds(tmp_path):
    (tmp_path / "program").write_bytes(b"\x7fELF")
    for name in ("one.whl", "two.whl"):
        build_wheel.write_wheel(tmp_path / name, {"plc/_native/bin/program": tmp_path / "program",
                                                  "plc/py.typed": tmp_path / "program"})
    assert (tmp_path / "one.whl").read_bytes() == (tmp_path / "two.whl").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.whl") as wheel:
        info = f"plc-{build_wheel.version()}.dist-info"
        assert wheel.getinfo("plc/_native/bin/program").external_attr >> 16 & 0o111
        assert not wheel.getinfo("plc/py.typed").external_attr >> 16 & 0o111
        record = wheel.read(f"{info}/RECORD").decode()
        assert sorted(line.split(",")[0] for line in record.splitlines()) == sorted(wheel.namelist())
        assert "\nRequires-Dist: numpy\n" in wheel.read(f"{info}/METADATA").decode()
    assert build_wheel.prepare_metadata_for_build_wheel(tmp_path) == info
    assert (tmp_path / info / "WHEEL").read_text().endswith("Tag: py3-none-linux_x86_64\n")


@pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf")
def test_libraries_of_libraries_are_found(tmp_path):
    file = tmp_path / "plc-run"
    shutil.copy(_library.program("plc-run"), file)
    build_wheel.search_for_all(file)
    listed = subprocess.run(["readelf", "-d", file], check=True, capture_output=True, text=True).stdout
    assert "(RPATH)" in listed and "(RUNPATH)" not in listed
    assert {re.sub(r"\.so.*", "", name) for name in build_wheel.needed(file)} >= {"libblis", "libicuuc", "libicudata"}


def test_a_library_that_is_not_there(tmp_path, monkeypatch):
    listed = types.SimpleNamespace(stdout="\tlibnone.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n")
    monkeypatch.setattr(build_wheel.subprocess, "run", lambda *given, **named: listed)
    with pytest.raises(SystemExit, match="build_wheel: error: 'program' needs libnone.so.1, found none"):
        build_wheel.needed("program")


def test_programs_are_commands(monkeypatch):
    called = []
    monkeypatch.setattr(_programs.os, "execv", lambda *given: called.append(given))
    monkeypatch.setattr(sys, "argv", ["plc-run", "--version"])
    _programs.plc_run()
    assert called == [(_library.program("plc-run"), ["plc-run", "--version"])]
    _programs.plc_compile()
    assert called[1] == (_library.program("plc-compile"), ["plc-compile", "--version"])
