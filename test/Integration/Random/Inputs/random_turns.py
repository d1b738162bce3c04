"""Rules of random programs whose elements are collected over the iterations of a `repeat`."""
from random_integers import LETTERS, Value


class Turns:
    def collectedRule(self):
        """A value carried along an axis, each state an element of the result; forwards or backwards; some draw in each iteration.
        From 64 turns on a plan may run turns again."""
        long = [(v, position) for v in self.scope for position, axis in enumerate(v.axes)
                if v.origin != "parameter" and axis != "B" and self.extent(v.axes) <= 6000]
        if not long or self.parameters is None:
            return
        x, position = self.random.choice(long)
        count = x.axes[position]
        letters = [*LETTERS[: len(x.axes)]]
        def at(where):
            return ", ".join(where if p == position else letter for p, letter in enumerate(letters))
        rest = ", ".join(letter for p, letter in enumerate(letters) if p != position)
        carried, result, turn = self.name("c"), self.name("v"), self.name("turn")
        last = position + 1 < len(x.axes) and x.axes[-1] != "B"
        weight = f"{self.parameter((x.axes[-1],))}[{letters[-1]}]" if last else self.parameter(())
        where = turn if self.flip(0.6) else f"{count} - 1 - {turn}"
        state = f"tanh({x.name}[{at(where)}] + {weight} * {carried}[{rest}])"
        if self.flip(0.3):
            state = self.random.choice([f"dropout({state}; rate = 0.3)", f"(if random() < 0.2 then {carried}[{rest}] else {state})"])
        axes = f"{result}: [{', '.join(x.axes)}]"
        self.statements += [f"{carried}[{rest}] = 0.5 * {x.name}[{at('0')}]"] + ([axes] if where != turn else []) + [
            f"repeat {turn} < {count} {{ {carried}[{rest}] = {state}  {result}[{at(where)}] = {carried}[{rest}] }}"]
        self.scope.append(Value(result, x.axes, True, "value"))
