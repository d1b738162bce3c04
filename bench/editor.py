#!/usr/bin/env python3
"""Measures how long the language server takes to report the errors of a changed model of 5,000 lines.

usage: bench/editor.py [--lines 5000] [--repeats 21]

The model has layers of ten lines, all of them called. Each change makes another one wrong. Prints medians and maxima
of the wait in ms, of the answers to an editor's requests, and of the CPU time, which other work does not lengthen."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

SERVER = pathlib.Path(__file__).resolve().parent.parent / "build/bin/plc-lsp-server"
LAYER = """# Layer {0}: a gated block.
layer block{0}(x[B, S, D]) -> y[B, S, D] {{
  param g[D] = 1, c[D] = 0
  param w{0}[D, F], v{0}[D, F], o{0}[F, D] ~ normal(0.02)
  n = layer_norm(x, g, c)
  h[b, s, f] = gelu(n[b, s, d] * w{0}[d, f]) * (n[b, s, d] * v{0}[d, f])
  p[b, s, t] = softmax[t](if t <= s then x[b, s, d] * x[b, t, d] / sqrt(size(d)) else -inf)
  y[b, s, d] = x[b, s, d] + h[b, s, f] * o{0}[f, d] + p[b, s, t] * x[b, t, d]
}}

"""


def model(lines):
    count = (lines - 8) // 11
    calls = "\n".join(f"  x = block{i}(x)" for i in range(count))
    text = "use std.nn\ndim B = 2, S = 8, D = 16, F = 32\nbatch B\n" + "".join(LAYER.format(i) for i in range(count))
    return text + f"model m(x[B, S, D]) -> y[B, S, D] {{\n{calls}\n  y = x\n}}\n", count


class Client:
    def __init__(self):
        self.process = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask("initialize", {"processId": 1, "rootPath": "/", "capabilities": {}})

    def send(self, method, params, **more):
        data = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.number += 1
        self.send(method, params, id=self.number)
        return self.receive()["result"]


    def cpu(self):
        """Milliseconds of CPU time so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.ask("shutdown", None)
        self.send("exit", None)
        self.process.wait()


def timed(work):
    begin = time.perf_counter()
    result = work()
    return 1000 * (time.perf_counter() - begin), result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=21)
    options = parser.parse_args()
    text, count = model(options.lines)
    client, uri = Client(), "file:///editor.ein"
    client.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "ein", "version": 0, "text": text}})
    if found := client.receive()["params"]["diagnostics"]:
        raise SystemExit(f"the model has errors: {found[0]['message']}")
    times = {"errors": [], "hover": [], "completion": [], "definition": []}
    cpu = 0
    for repeat in range(options.repeats):
        wrong = f"h[b, s, f] * o{repeat * 7 % count}[f, d]"
        changed = text.replace(wrong, wrong.replace("[f, d]", "[d, f]"))

        def change():
            client.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": repeat + 1},
                                                   "contentChanges": [{"text": changed}]})
            return client.receive()
        before = client.cpu()
        took, answer = timed(change)
        cpu += client.cpu() - before
        if not answer["params"]["diagnostics"]:
            raise SystemExit("the changed model has no error")
        times["errors"].append(took)
        line = changed[: changed.index(wrong[:-6])].count("\n")
        for what in ("hover", "completion", "definition"):
            at = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 29}}
            took, answer = timed(lambda: client.ask(f"textDocument/{what}", at))
            if not answer:
                raise SystemExit(f"{what} has no answer")
            times[what].append(took)
    client.close()
    print(f"{text.count(chr(10))} lines, {count} layers; {cpu / options.repeats:.0f} ms of CPU time for each change")
    for what, all_times in times.items():
        print(f"{what:<11} {statistics.median(all_times):7.1f} ms  worst {max(all_times):7.1f} ms")


if __name__ == "__main__":
    main()
