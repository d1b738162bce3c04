import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import formats

config.name = "plc"
config.test_format = formats.RunLinesOrUnitTests({source: os.path.join(config.plc_build, "unit", program)
                                                  for source, program in config.unit_sources.items()})
config.suffixes = [".mlir", ".ein", ".test", ".toml", ".py"]
config.excludes = ["Inputs", "lit.cfg.py", "formats.py", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.plc_build, "test")

path = [os.path.join(config.plc_build, "bin"), config.llvm_tools, os.environ["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=error"
# Plans in tests are the same on every machine.
config.environment["PLC_RATES"] = "shipped"
# Nor do workers and what is printed of them depend on it.
config.environment["PLC_THREADS_PER_STAGE"] = "1"
# What they compare with stderr does not depend on how fast it is.
config.environment["PLC_PROGRESS"] = "86400"
config.environment["XDG_CACHE_HOME"] = os.path.join(config.plc_build, "test", "cache")

# For the preset asan: libMLIR and libLLVM are not instrumented, yet share containers and allocators with code that is. A library
# that a test preloads stands before the sanitizer's.
config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0:verify_asan_link_order=0"
config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"

config.substitutions.append(("%unit", os.path.join(config.plc_build, "unit")))
config.substitutions.append(("%examples", os.path.join(config.plc_source, "examples")))
config.substitutions.append(("%root", config.plc_source))
config.substitutions.append(("%tests", config.test_source_root))
config.substitutions.append(("%bin", os.path.join(config.plc_build, "bin")))
config.substitutions.append(("%lib", os.path.join(config.plc_build, "lib")))
config.substitutions.append(("%cc", config.c_compiler + " " + config.c_flags))
config.substitutions.append(("%cxx", config.cxx_compiler))
config.substitutions.append(("%plc_include", os.path.join(config.plc_source, "include")))
# The program itself: what stands for it on PATH may be a script that looks for it anew each time, as pyenv's is, and takes as long as a test.
config.python = subprocess.check_output(["python3", "-c", "import sys; print(sys.executable)"], text=True).strip()
config.substitutions.append(("%python", config.python))


def script(*path):
    return config.python + " " + os.path.join(config.test_source_root, *path)


# A tensor from numbers in the command, one from a pattern, a text, and a small module made by hand:
# %npy OUT.npy TYPE SHAPE NUMBER.., %make_module OUT.plcm [--ranks N] [--set PATH=JSON] ..
config.substitutions.append(("%npy", script("Reference", "Inputs", "npy.py")))
config.substitutions.append(("%make_npy", script("Runtime", "Inputs", "make_npy.py")))
config.substitutions.append(("%make_text", script("Runtime", "Inputs", "make_text.py")))
config.substitutions.append(("%make_module", script("Runtime", "Inputs", "make_module.py") + " --cc " + config.c_compiler +
                             " --include " + os.path.join(config.plc_source, "include")))
# Code for AVX-512 runs only where the CPU has it; elsewhere lit reports such tests as unsupported.
with open("/proc/cpuinfo") as cpuinfo:
    flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags):
    config.available_features.add("avx512")
if {"amx_tile", "amx_bf16"} <= set(flags):
    config.available_features.add("amx")
# The programs have LLVM inside.
if os.path.isdir(os.path.join(config.plc_build, "shared")):
    config.available_features.add("standalone")
# Where tests may use no second CPU, nothing is divided.
if len(os.sched_getaffinity(0)) > 1:
    config.available_features.add("several-cpus")
# A plug-in for an MPI library: tests of several processes by it.
config.available_features.update(mpi for mpi in config.mpis if mpi)
# Of a mpirun that a test starts itself: Open MPI's refuses both otherwise.
config.environment.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                           "OMPI_MCA_rmaps_base_oversubscribe": "1"})
if "-fsanitize" in config.c_flags:
    config.available_features.add("sanitized")
    # UCX, which MPICH uses, writes over the first instructions of mmap: those of the sanitizer's own, which then jump anywhere.
    config.environment["UCX_MEM_MMAP_HOOK_MODE"] = "none"
# %exits 2 COMMAND: the command must exit with exactly that code.
config.substitutions.append(("%exits", "sh " + os.path.join(config.plc_source, "test", "exits.sh")))
