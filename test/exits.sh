#!/bin/sh
# exits.sh CODE COMMAND...: runs the command, its errors merged into its output; fails unless it exits with CODE.
expected=$1
shift
"$@" 2>&1
code=$?
[ "$code" -eq "$expected" ] && exit 0
echo "exits.sh: error: '$*' exited with $code but $expected is expected"
exit 1
