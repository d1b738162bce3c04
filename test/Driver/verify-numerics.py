# RUN: %python %s plc-compile %examples/gpt.ein -D S=8 -D V=16 -D D=8 -D H=2 -D L=4 -D B=4 \
# RUN:   --set parallelism.stages=2 --set parallelism.micro_batches=2 --set checkpoint.policy=uniform
"""No phase after `numerics` may change an equation: --verify-numerics accepts what each leaves, and refuses it with one
function, extent or order changed, wherever it stands by then. It stands behind each that moves, clones or routes what is
computed; the other two order it and place it, and the last one ends with the proof of that."""
import re
import subprocess
import sys

PHASES = ["kernels", "partition", "skips", "schedule", "remat", "comm", "addresses"]
LAST = {"schedule": "plan-schedule", "addresses": "plan-verify"}  # of the passes of a phase; of others verify-numerics
# What a faulty pass might do to a kernel, to a call or to a route.
MUTATIONS = [
    ("a function", r"\brsqrt\b", "sqrt"),
    ("an order", r"\border lanes\b", "order chain"),
    ("a constant", r"(ein\.constant) -?[0-9.e+-]+", r"\1 7.0"),
    ("two operands", r"(plan\.call @[\w.]*\()(%[\w#]+), (%[\w#]+)((?:, %[\w#]+)*\) path \"ffn\.1\".*: \(([^,]*), \5[,)])", r"\1\3, \2\4"),
]
ERROR = re.compile(r"error: program 'gpt' has equations of digest '([0-9a-f]{32})' but expected '([0-9a-f]{32})'")


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8")


def verify(text):
    return run(["plc-opt", "--verify-numerics", "-o", "/dev/null"], text)


for phase in PHASES:
    text = run(sys.argv[1:] + [f"--emit={phase}"]).stdout
    pipeline = run(sys.argv[1:] + ["--print-pipeline", f"--emit={phase}"]).stdout
    last = LAST.get(phase, "verify-numerics")
    if not re.search(rf",{last}(\{{[^{{}}]*\}})?\)$", pipeline.strip()):
        sys.exit(f"{phase}: its passes do not end with {last}: {pipeline}")
    if verify(text).returncode:
        sys.exit(f"{phase}: what plc-compile made is refused: {verify(text).stderr}")
    refused = 0
    for name, old, new in MUTATIONS:
        mutated, count = re.subn(old, new, text, count=1)
        if not count or mutated == text:
            continue
        result = verify(mutated)
        found = ERROR.search(result.stderr)
        if result.returncode != 1 or not found or found[1] == found[2]:
            sys.exit(f"{phase}: {name} changed, but not refused with both values: {result.stderr[:500]}")
        refused += 1
    if refused < 2:
        sys.exit(f"{phase}: only {refused} mutations were found to make")
