"""exits.py CODE COMMAND...: runs a command that must end with this exit code."""
import subprocess, sys

found = subprocess.run(sys.argv[2:]).returncode
if found != int(sys.argv[1]):
    sys.exit("found exit code %d, expected %s" % (found, sys.argv[1]))
