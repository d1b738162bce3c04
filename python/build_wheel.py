"""Builds the wheel of plc, as `pip wheel ./python` asks for (PEP 517): the package, plc-compile with LLVM inside, a linker,
plc-run, libplcrt, plug-ins for MPI, and the libraries that these need and a Debian 12 without further packages lacks. The
MPI library itself is the user's.

Needs no package of Python. Builds the programs by tools/build first."""
import base64
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NATIVE = "plc/_native"
# Libraries that every system with glibc and a C++ program has.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)[-.\d]*\.so")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"plc-{version()}-py3-none-linux_x86_64.whl"
    subprocess.run([ROOT / "tools/build", "all", "standalone-programs"], check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        files = native_files(pathlib.Path(folder))
        files.update({f"plc/{file.name}": file for file in sorted((HERE / "plc").iterdir()) if file.is_file()})
        write_wheel(pathlib.Path(wheel_directory, name), files)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    texts = metadata()
    for name, text in texts.items():
        file = pathlib.Path(metadata_directory, name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return f"plc-{version()}.dist-info"


def version():
    return re.search(r"project\(plc VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    """The texts of the folder .dist-info, by name."""
    project, info = (HERE / "pyproject.toml").read_text(), f"plc-{version()}.dist-info"
    summary, python = (re.search(rf'^{key} = "(.*)"$', project, re.M)[1] for key in ("description", "requires-python"))
    requires = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]$", project, re.M)[1])
    return {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: plc\nVersion: {version()}\nSummary: {summary}\n"
                            f"License: Apache-2.0 WITH LLVM-exception\nRequires-Python: {python}\n"
                            + "".join(f"Requires-Dist: {each}\n" for each in requires),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: plc\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n",
        f"{info}/entry_points.txt": "[console_scripts]\nplc-compile = plc._programs:plc_compile\n"
                                    "plc-run = plc._programs:plc_run\n",
        f"{info}/LICENSE": (ROOT / "LICENSE").read_text(),
    }


def native_files(folder):
    """Where programs and libraries are in the wheel, and the stripped files, whose rpath is $ORIGIN/../lib."""
    cache = (ROOT / "build/CMakeCache.txt").read_text()  # pip's PATH may have another cmake than the one of the build
    cmake = re.search(r"^CMAKE_COMMAND:INTERNAL=(.*)$", cache, re.M)[1]
    for component in ("runtime", "standalone", "openmpi", "mpich"):
        subprocess.run([cmake, "--install", ROOT / "build", "--component", component, "--strip", "--prefix", folder],
                       check=True, stdout=subprocess.DEVNULL)
    files = {f"{NATIVE}/{name}": folder / name for name in ("bin/plc-compile", "bin/plc-run", "lib/plc/ld.lld",
                                                            "lib/libplcrt.so.0")}
    for file in files.values():
        search_for_all(file)
    for file in list(files.values()):
        for library, found in needed(file).items():
            files.setdefault(f"{NATIVE}/lib/{library}", found)
    files.update({f"{NATIVE}/lib/{file.name}": file for file in sorted(folder.glob("lib/libplc-*.so"))})
    return files


def search_for_all(file):
    """Makes DT_RUNPATH of an ELF file DT_RPATH, by which libraries of its libraries are found, too: ICU's name each other."""
    data = bytearray(file.read_bytes())
    table, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for header in range(table, table + size * count, size):
        kind, _, begin, _, _, length = struct.unpack_from("<IIQQQQ", data, header)
        for entry in range(begin, begin + length, 16) if kind == 2 else ():  # PT_DYNAMIC
            if data[entry : entry + 8] == struct.pack("<Q", 29):  # DT_RUNPATH
                data[entry : entry + 8] = struct.pack("<Q", 15)  # DT_RPATH
    file.write_bytes(data)


def needed(file):
    """The libraries that a file loads, by name, but those of the system."""
    listed = subprocess.run(["ldd", file], check=True, capture_output=True, text=True).stdout
    if missing := re.findall(r"^\s*(\S+) => not found", listed, re.M):
        sys.exit(f"build_wheel: error: '{file}' needs {', '.join(missing)}, found none")
    found = dict(re.findall(r"^\s*(\S+) => (\S+) \(", listed, re.M))
    return {name: pathlib.Path(path).resolve() for name, path in found.items() if not SYSTEM.match(name)}


def write_wheel(path, files):
    texts = metadata()
    record = []
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in [*((name, file.read_bytes()) for name, file in files.items()),
                           *((name, text.encode()) for name, text in texts.items())]:
            add(wheel, name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
        name = f"plc-{version()}.dist-info/RECORD"
        add(wheel, name, ("".join(record) + f"{name},,\n").encode())
    os.replace(partial, path)


def add(wheel, name, data):
    """The same bytes for the same files: no time of a file is in the wheel."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if name.startswith(NATIVE) else 0o100644) << 16
    wheel.writestr(entry, data)
