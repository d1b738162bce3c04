"""The loss of random programs."""
from random_expressions import SMOOTH
from random_integers import LETTERS


class Losses:
    def buildLoss(self):
        """A mean over the batch that every late value takes part in."""
        self.enter(list(self.pool), list(self.tokens), list(self.known_masks), None)
        terms, free = [], list(LETTERS)
        late = [v for v in self.pool if v.origin != "input"]
        for value in late[-4:] + self.random.sample(late[:-4], min(1, len(late[:-4]))):
            letters = ["b"] + [free.pop(0) for _ in value.axes[1:]]
            text, some, last = f"{value.name}[{', '.join(letters)}]", ", ".join(letters[:-1]), letters[-1]
            tokens = [t for t in self.tokens if t.axes == value.axes[:-1]]
            if value.axes[-1] == "V" and tokens and self.flip(0.8):
                terms.append(f"mean[{some}](cross_entropy[{last}]({text}, {tokens[0].name}[{some}]))")
            elif self.dividingMasks() and self.flip(0.4):
                terms.append(self.maskedMean(f"{self.random.choice(SMOOTH)}({text})", letters, value))
            elif self.flip(0.5):
                terms.append(f"mean[{', '.join(letters)}](squared_error({text}, {self.number()}))")
            else:
                terms.append(f"mean[{', '.join(letters)}]({self.random.choice(SMOOTH)}({text}) * {self.number()})")
        self.body.append("loss = " + " + ".join(self.random.sample(terms, len(terms))))

    def dividingMasks(self):
        """Those that no parameter changes."""
        return [mask for mask in self.known_masks if mask.name not in self.learnt]

    def maskedMean(self, text, letters, value):
        """A sum weighted by truth values, divided by how many of those hold in the whole batch."""
        mask = self.random.choice(self.dividingMasks())
        others = ["b"] + [letters[-1] + letter for letter in LETTERS[: len(mask.axes) - 1]]  # another for each term
        holds = f"real({mask.name}[{', '.join(others)}])"
        weight = f"{1 / self.extent(value.axes[1:]):.3g}"
        summed = ", ".join(letters + others[1:])
        return f"sum[{summed}]({text} * {weight} * {holds}) / max(sum[{', '.join(others)}]({holds}), 1)"
