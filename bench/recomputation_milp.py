#!/usr/bin/env python3
"""Compares recomputation under a budget with a mixed-integer linear program, on networks of at most 80 calls.

usage: recomputation_milp.py [--most CALLS] [--seconds N] [--threads N] [--only NAME:CALLS:PART].. [--instances FILE]

    python3 -m venv milp && milp/bin/pip install highspy==1.15.1
    milp/bin/python bench/recomputation_milp.py --seconds 600

Budgets are 0.9 to 0.3 of the peak. A row for each instance that `RetentionBench instances` writes (or FILE holds):
time added by the planner, by the program, and the program's bound, in percent of all calls. The program starts from
the planner's answer. Fails if an answer does not fit, or if a bound is above an answer.

The program has the stages of Jain et al., "Checkmate", 2020, and lives as intervals between events of Bartan et al.,
"Moccasin", 2023. R[t, c] is 1 if call c is recomputed before call t. S[t, v] is 1 if value v is live when slot t
begins. A slot is a call with the recomputation before it, in the order of the originals and each at most once: a
little less than the planner may do. In a slot the runs that read or make a value are its events; the value is live
between them or not. The bytes of a run are its operands, results and scratch, and the values that are live between
their events."""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import highspy
import numpy

ROOT = pathlib.Path(__file__).parent.parent


class Program:
    """Columns and rows of a mixed-integer linear program."""

    def __init__(self):
        self.costs, self.integer, self.rows, self.lower, self.upper = [], [], [], [], []

    def column(self, cost=0, integer=False):
        self.costs.append(cost)
        self.integer.append(integer)
        return len(self.costs) - 1

    def row(self, terms, upper, lower=-highspy.kHighsInf):
        """lower <= sum of the terms (amount, part) <= upper, where a part is a column, or a number: 0 or 1."""
        amounts = {}
        for amount, part in terms:
            if isinstance(part, Constant):
                upper, lower = upper - amount * part.value, lower - amount * part.value
            else:
                amounts[part] = amounts.get(part, 0) + amount
        if amounts:
            self.rows.append(amounts)
            self.lower.append(lower)
            self.upper.append(upper)
        elif not lower <= 0 <= upper:
            raise ValueError("a row can not hold")

    def solve(self, start, seconds, threads):
        """The solver behind its search from a start, by column."""
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(self.costs), len(self.rows)
        lp.col_cost_ = numpy.array(self.costs, dtype=float)
        lp.col_lower_, lp.col_upper_ = numpy.zeros(lp.num_col_), numpy.ones(lp.num_col_)
        lp.row_lower_, lp.row_upper_ = numpy.array(self.lower, dtype=float), numpy.array(self.upper, dtype=float)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = numpy.cumsum([0] + [len(row) for row in self.rows])
        lp.a_matrix_.index_ = numpy.array([column for row in self.rows for column in row])
        lp.a_matrix_.value_ = numpy.array([row[column] for row in self.rows for column in row], dtype=float)
        lp.integrality_ = [highspy.HighsVarType.kInteger if each else highspy.HighsVarType.kContinuous
                           for each in self.integer]
        solver = highspy.Highs()
        solver.silent()
        for option, value in {"time_limit": seconds, "threads": threads, "mip_rel_gap": 0.0, "mip_abs_gap": 0.999}.items():
            solver.setOptionValue(option, value)
        solver.passModel(lp)
        if start:
            columns = numpy.array(sorted(start), dtype=numpy.int32)
            solver.setSolution(len(columns), columns, numpy.array([start[each] for each in columns], dtype=float))
        solver.run()
        return solver


class Constant:
    def __init__(self, value):
        self.value = value


NO, YES = Constant(0), Constant(1)


class Instance:
    def __init__(self, text):
        self.__dict__.update(json.loads(text))
        self.clones = [tuple(each) for each in self.clones]
        self.maker = [-1] * len(self.bytes)
        readers = [[] for _ in self.bytes]
        for index, call in enumerate(self.calls):
            call["args"] = sorted({value for value in call["args"]})
            for value in call["results"]:
                self.maker[value] = index
            for value in call["args"]:
                readers[value].append(index)
        self.repeatable = [call["repeatable"] for call in self.calls]
        # What only runs once makes and reads lives as long as it is read, whatever runs again.
        self.fixed = {value: (maker, max([maker] + readers[value])) for value, maker in enumerate(self.maker)
                      if maker >= 0 and not any(self.repeatable[call] for call in [maker] + readers[value])}
        self.free = [value for value, maker in enumerate(self.maker) if maker >= 0 and value not in self.fixed]
        # By slot: the values that it or a later one may still want.
        self.wanted = [set() for _ in range(len(self.calls) + 1)]
        for slot in reversed(range(len(self.calls))):
            wanted = self.wanted[slot] = self.wanted[slot + 1] | set(self.operands(slot))
            for call in reversed(range(slot)):
                if self.repeatable[call] and wanted & set(self.calls[call]["results"]):
                    wanted |= set(self.operands(call))
        self.base = sum(call["ns"] for call in self.calls)
        later = [index for index, call in enumerate(self.calls) if call["kind"] > 0]
        waiting = [index for index, call in enumerate(self.calls) if call["kind"] > 1 and self.splits]
        self.beginnings = [each[0] for each in (later, waiting) if each] if self.in_flight > 1 else []

    def operands(self, call):
        return [value for value in self.calls[call]["args"] if self.maker[value] >= 0 and value not in self.fixed]

    def results(self, call):
        return [value for value in self.calls[call]["results"] if value not in self.fixed]

    def clonable(self, slot):
        """Calls that may run again before the slot's own, where that serves anything."""
        if slot < self.first_clone:
            return []
        return [call for call in range(slot) if self.repeatable[call] and self.wanted[slot] & set(self.results(call))]

    def fixed_bytes(self, slot, call):
        """Of what lives while a call of the slot runs, whatever is recomputed."""
        own = call == slot
        sum_ = sum(self.bytes[value] for value, (first, last) in self.fixed.items() if first < slot + own and slot <= last)
        if own:
            sum_ -= sum(self.saving(pair) for pair in self.calls[call]["in_place"]
                        if pair[0] in self.fixed and self.fixed[pair[0]][1] == slot)
        return sum_

    def saving(self, pair):
        return min(self.bytes[pair[0]], self.bytes[pair[1]])

    def runs(self, clones):
        """(call, slot) of all runs."""
        by_slot = {}
        for call, slot in clones:
            by_slot.setdefault(slot, []).append(call)
        return [(call, slot) for slot in range(len(self.calls)) for call in by_slot.get(slot, []) + [slot]]

    def added(self, clones):
        return sum(self.calls[call]["ns"] for call, _ in clones)

    def play(self, clones):
        """The most bytes, and what lives when each slot begins."""
        runs = self.runs(clones)
        awaited, dying = set(), [()] * len(runs)
        for at in reversed(range(len(runs))):
            call = self.calls[runs[at][0]]
            made = {value for value in call["results"]}
            read = {value for value in call["args"] if self.maker[value] >= 0}
            dying[at] = (made | read) - awaited
            awaited = (awaited - made) | read
        if awaited:
            raise ValueError("something is read before it is made")
        live, most, held, begins = set(), 0, 0, [None] * len(self.calls)
        for at, (index, slot) in enumerate(runs):
            if begins[slot] is None:
                begins[slot] = set(live)
                if slot in self.beginnings:
                    held = max(held, sum(self.bytes[value] for value in live))
            call = self.calls[index]
            live |= set(call["results"])
            saved = sum(self.saving(pair) for pair in call["in_place"] if pair[0] in dying[at])
            most = max(most, sum(self.bytes[value] for value in live) + call["scratch"] - saved)
            live -= dying[at]
        return most + self.static + (self.in_flight - 1) * held, begins


class Stages:
    """The program of an instance."""

    def __init__(self, instance):
        self.instance, self.program = instance, Program()
        slots = range(len(instance.calls))
        self.again = {(slot, call): self.program.column(instance.calls[call]["ns"], True)
                      for slot in slots for call in instance.clonable(slot)}
        self.lives = {(slot, value): self.program.column(0, True) for slot in slots for value in instance.free
                      if instance.maker[value] < slot and value in instance.wanted[slot]}
        for slot in slots:
            self.add_slot(slot)

    def add_slot(self, slot):
        instance, program = self.instance, self.program
        runs = instance.clonable(slot) + [slot]
        happens = {call: self.again.get((slot, call), YES) for call in runs}
        use = {call: [] for call in runs}  # (bytes, column) of each run
        gone = {}  # whether an operand lives behind a run
        for value in instance.free:
            events = [(at, call) for at, call in enumerate(runs)
                      if value in instance.operands(call) or value in instance.results(call)]
            lives, at = self.lives.get((slot, value), NO), 0
            after = self.lives.get((slot + 1, value), NO)
            for number, (place, call) in enumerate(events):
                for passed in runs[at:place]:
                    use[passed].append((instance.bytes[value], lives))
                at = place + 1
                last = number + 1 == len(events)
                following = after if last else program.column()
                if value in instance.operands(call):
                    program.row([(1, happens[call]), (-1, lives)], 0)
                    program.row([(1, following), (-1, lives)], 0)
                    use[call].append((instance.bytes[value], lives))
                    gone[call, value] = following
                else:
                    program.row([(1, following), (-1, lives), (-1, happens[call])], 0)
                    self.count_result(call, value, happens[call], following, use[call])
                lives = following
            if not events:
                program.row([(1, after), (-1, lives)], 0)
            for passed in runs[at:]:
                use[passed].append((instance.bytes[value], lives))
        for call in runs:
            self.add_bytes(slot, call, happens[call], use[call], gone)

    def count_result(self, call, value, happens, following, use):
        """What a run makes takes bytes while it runs, and behind it as long as it is read."""
        bytes_ = self.instance.bytes[value]
        if happens is YES:
            use.append((bytes_, YES))
        elif len(self.instance.results(call)) == 1:
            self.program.row([(1, happens), (-1, following)], 0)  # else it would run for nothing
            use.append((bytes_, following))
        else:
            during = self.program.column()
            self.program.row([(1, happens), (-1, during)], 0)
            self.program.row([(1, following), (-1, during)], 0)
            use.append((bytes_, during))

    def add_bytes(self, slot, call, happens, use, gone):
        instance, program = self.instance, self.program
        terms = use + [(instance.calls[call]["scratch"], happens)]
        for operand, result in instance.calls[call]["in_place"]:
            if (call, operand) in gone:
                takes = program.column()
                program.row([(1, takes), (-1, happens)], 0)
                program.row([(1, takes), (1, gone[call, operand])], 1)
                terms.append((-instance.saving((operand, result)), takes))
        room = instance.budget - instance.static - instance.fixed_bytes(slot, call)
        for begin in instance.beginnings:
            held = [(instance.bytes[value] * (instance.in_flight - 1), self.lives[begin, value])
                    for value in instance.free if (begin, value) in self.lives]
            program.row(terms + held, room)
        if not instance.beginnings:
            program.row(terms, room)

    def start(self, clones):
        """The columns of runs and lives of an answer."""
        _, begins = self.instance.play(clones)
        start = {column: 0 for column in self.again.values()}
        for call, slot in clones:
            if (slot, call) in self.again:
                start[self.again[slot, call]] = 1
        for (slot, value), column in self.lives.items():
            start[column] = int(value in begins[slot])
        return start

    def clones(self, solution):
        return sorted(((call, slot) for (slot, call), column in self.again.items() if solution[column] > 0.5),
                      key=lambda each: (each[1], each[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=80, help="calls of a network (80)")
    parser.add_argument("--seconds", type=float, default=600, help="for each instance (600)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", action="append", help="such as VGG:54:0.3; a part may be left out")
    parser.add_argument("--instances", help="lines of JSON, instead of the networks")
    parser.add_argument("--answers", help="a file for answers that are less than the planner's, as instances")
    args = parser.parse_args()
    if args.instances:
        text = pathlib.Path(args.instances).read_text()
    else:
        text = subprocess.run([ROOT / "build/unit/RetentionBench", "instances", str(args.most)], check=True, capture_output=True,
                              text=True).stdout
    wrong = False
    for instance in map(Instance, text.splitlines()):
        name = f"{instance.name}:{len(instance.calls)}:{instance.part:g}"
        if args.only and not any(f"{name}:".startswith(f"{each}:") for each in args.only):
            continue
        wrong |= compare(name, instance, args)
    sys.exit(wrong)


def compare(name, instance, args):
    """Prints a row; whether something is wrong."""
    planned = instance.added(instance.clones)
    if instance.play(instance.clones)[0] > instance.budget:
        print(f"{name}: the planner's answer does not fit")
        return True
    stages = Stages(instance)
    ordered = sorted(set(instance.clones), key=lambda each: (each[1], each[0]))
    is_start = len(ordered) == len(instance.clones) and instance.play(ordered)[0] <= instance.budget
    begin = time.monotonic()
    solver = stages.program.solve(stages.start(ordered) if is_start else None, args.seconds, args.threads)
    seconds = time.monotonic() - begin
    info = solver.getInfo()
    found, fits = planned, True
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        clones = stages.clones(solver.getSolution().col_value)
        found = instance.added(clones)
        fits = instance.play(clones)[0] <= instance.budget
    bound = max(0, -int(-(info.mip_dual_bound - 1e-6) // 1)) if info.mip_dual_bound > -1e300 else 0
    what = "the least" if bound >= planned else "not the least" if found < planned else "not known to be the least"
    percent = [f"{100 * each / instance.base:.2f} %" for each in (planned, found, bound)]
    print(f"{name}: planner {percent[0]}, program {percent[1]}, at least {percent[2]}, {seconds:.0f} s: {what}"
          + ("" if is_start else "; the planner's answer is not one of the program's")
          + ("" if fits else "; the program's answer does not fit"), flush=True)
    if args.answers and found < planned and fits:
        instance.clones = clones
        with open(args.answers, "a") as file:
            file.write(json.dumps({"name": name, "clones": clones}) + "\n")
    return not fits or (bound > found and is_start)


if __name__ == "__main__":
    main()
