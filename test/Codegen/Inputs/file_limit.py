"""file_limit.py FILE COMMAND...: runs a command on what seems a disk that is full a byte before a file of that size."""
import os, resource, signal, sys

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails instead
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(sys.argv[1]) - 1,) * 2)
os.execvp(sys.argv[2], sys.argv[2:])
