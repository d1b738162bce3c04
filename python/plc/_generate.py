"""Continues texts by `plc-run generate`, which has tokenizers and samplers."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
from typing import Any, List, Mapping, Optional, Sequence, Union

import numpy

from ._errors import Error, usage_error
from ._library import program

Prompt = Union[str, Sequence[int]]


def generate(module: str, weights: str, prompts: List[Prompt], options: Mapping[str, Any], stops: Sequence[str],
             inputs: Optional[Mapping[str, Any]]) -> List[Any]:
    """What follows each prompt: text behind a text, tokens behind tokens. Options are those of plc-run."""
    if not prompts:
        raise usage_error("found no prompt")
    with tempfile.TemporaryDirectory(prefix="plc-") as folder:
        file = pathlib.Path(folder, "prompts.jsonl")
        file.write_text("".join(json.dumps(_plain(prompt)) + "\n" for prompt in prompts))
        command = [program("plc-run"), "generate", module, "--params", weights, "--prompts", str(file)]
        for name, value in options.items():
            command += [f"--{name.replace('_', '-')}", str(value)] if value is not None else []
        for stop in stops:
            command += ["--stop", stop]
        for name, value in (inputs or {}).items():
            array = os.path.join(folder, f"input{len(command)}.npy")
            numpy.save(array, numpy.asarray(value))
            command += ["--input", f"{name}=@{array}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Error(done.stderr, done.returncode)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return [result["text" if isinstance(prompt, str) else "tokens"] for prompt, result in zip(prompts, results)]


def _plain(prompt: Prompt) -> Any:
    return prompt if isinstance(prompt, str) else [int(token) for token in prompt]
