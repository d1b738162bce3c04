"""machines.py NAME,NAME,.. COMMAND ..: runs a command on the first of several machines that are made of this one. Each has a name, a
network with cables to the others, and its own /dev/shm; MPI's launchers reach it as by ssh. They share files and the numbers of
processes. On the first, `ip link set cable1 down` cuts the second off.
machines.py --can: whether that may be done here: only root may, on a kernel that lets it."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

# What mpirun calls as: ssh OPTIONS MACHINE COMMAND
SSH = """#!/bin/sh
while case "$1" in -*) ;; *) false; esac; do shift; done
machine=$1; shift
exec nsenter --net --uts --ipc --mount --target "$(cat "$(dirname "$0")/$machine")" sh -c "cd '$PWD' && $*"
"""


class Machines:
    def __init__(self, names, folder):
        self.names, self.folder, self.processes = names, pathlib.Path(folder), []

    def __enter__(self):
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{self.address(i)} {name}\n" for i, name in enumerate(self.names)))
        for name in self.names:
            self.make(name, hosts)
        self.connect()
        ssh = self.folder / "ssh"
        ssh.write_text(SSH)
        ssh.chmod(0o755)
        return self

    def __exit__(self, *_):
        """Nothing is left of what runs on a machine, as the daemon of an mpirun that one was cut off from."""
        networks = {os.readlink(f"/proc/{process.pid}/ns/net") for process in self.processes}
        for each in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{each}/ns/net") in networks:
                    os.kill(int(each), signal.SIGKILL)
        for process in self.processes:
            process.wait()

    @staticmethod
    def address(i):
        return f"10.77.0.{i + 1}"

    def make(self, name, hosts):
        script = f"hostname {name} && mount --bind {hosts} /etc/hosts && mount -t tmpfs none /dev/shm && echo made && exec sleep infinity"
        process = subprocess.Popen(["unshare", "--net", "--uts", "--ipc", "--mount", "sh", "-c", script],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        if process.stdout.readline() != b"made\n":
            sys.exit(f"no machine '{name}'")
        (self.folder / name).write_text(str(process.pid))

    def connect(self):
        """By a switch on the first."""
        self.ip(0, "link", "add", "switch", "type", "bridge")
        for i, process in enumerate(self.processes):
            self.ip(0, "link", "add", f"cable{i}", "type", "veth", "peer", "name", "eth0", "netns", str(process.pid))
            self.ip(0, "link", "set", f"cable{i}", "master", "switch", "up")
            self.ip(i, "address", "add", self.address(i) + "/24", "dev", "eth0")
            self.ip(i, "link", "set", "eth0", "up")
            self.ip(i, "link", "set", "lo", "up")
        self.ip(0, "link", "set", "switch", "up")

    def enter(self, i):
        return ["nsenter", "--net", "--uts", "--ipc", "--mount", "--target", str(self.processes[i].pid)]

    def ip(self, i, *words):
        subprocess.run([*self.enter(i), "ip", *words], check=True)

    def run(self, command):
        ssh = str(self.folder / "ssh")
        # MPICH takes processes of one kernel for neighbours, which share memory.
        environment = {**os.environ, "OMPI_MCA_plm_rsh_agent": ssh, "HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": ssh, "UCX_TLS": "tcp,self"}
        enter = [*self.enter(0), "sh", "-c", 'cd "$0" && exec "$@"', os.getcwd(), *command]
        return subprocess.run(enter, env=environment).returncode


def main():
    command = ["true"] if sys.argv[1] == "--can" else sys.argv[2:]
    names = ["one"] if sys.argv[1] == "--can" else sys.argv[1].split(",")
    try:
        with tempfile.TemporaryDirectory() as folder, Machines(names, folder) as machines:
            return machines.run(command)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no machines: {error}"


if __name__ == "__main__":
    sys.exit(main())
