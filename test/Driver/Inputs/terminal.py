"""Runs a command whose standard output is a terminal, and prints what it wrote there."""
import os
import pty
import subprocess
import sys

reader, writer = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=writer)
os.close(writer)
text = b""
try:
    while part := os.read(reader, 4096):
        text += part
except OSError:  # the terminal was closed, at the end of the command
    pass
sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
sys.exit(process.wait())
