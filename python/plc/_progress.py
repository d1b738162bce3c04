"""A line that shows how far a training is."""
from __future__ import annotations

import sys
import time
from typing import Callable, Union

Progress = Callable[[int, int, float], None]


class Bar:
    """Draws `step 12/100 [###.....] loss 3.210, 41 steps/s` over itself, at most ten times in a second."""

    def __init__(self, width: int = 24):
        self.width, self.began, self.drawn, self.count = width, time.monotonic(), 0.0, 0

    def __call__(self, step: int, last: int, loss: float) -> None:
        self.count += 1
        now = time.monotonic()
        if step < last and now - self.drawn < 0.1:
            return
        self.drawn = now
        done = self.width * step // last
        speed = self.count / max(now - self.began, 1e-9)
        sys.stderr.write(f"\rstep {step}/{last} [{'#' * done}{'.' * (self.width - done)}] loss {loss:.4g}, "
                         f"{speed:.3g} steps/s " + ("\n" if step == last else ""))
        sys.stderr.flush()


def choose(progress: Union[Progress, bool, None]) -> Progress:
    """A callback as it is; None is a bar on a terminal and in a notebook, True always, False never."""
    if callable(progress):
        return progress
    if progress or (progress is None and (sys.stderr.isatty() or "ipykernel" in sys.modules)):
        return Bar()
    return lambda step, last, loss: None
