//===- RollIterations.cpp - iterations of a `repeat` as a loop -----------------===//
#include "RollIterations.h"
#include "Syntax/References.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace plc::language;

namespace {

constexpr const char *fewer = "a loop within it has not as many iterations in each of its iterations";

/// Compares the equations of an iteration with those of the first one, and finds the numbers that are linear in the
/// iteration.
class IterationMatcher {
public:
  /// The other iteration is `distance` after the first. Values of the first begin at `base`, its own at `ownBase`.
  IterationMatcher(Loop &loop, int64_t distance, ValueId base, ValueId ownBase)
      : loop(loop), distance(distance), base(base), ownBase(ownBase) {}

  /// Why iterations that are alike still make no loop. Empty if they are not alike.
  StringRef whyNot() const { return why; }

  // Values from outside are the same; own values correspond by position.
  bool match(ValueId first, ValueId own) const { return first == (own >= ownBase ? own - ownBase + base : own); }

  bool match(const std::vector<Step> &first, const std::vector<Step> &own) {
    return std::equal(first.begin(), first.end(), own.begin(), own.end(),
                      [&](const Step &a, const Step &b) { return match(a, b); });
  }

private:
  bool match(const Step &a, const Step &b) {
    if (a.callee || b.callee)
      return false;
    if (bool(a.loop) != bool(b.loop))
      return refuse(fewer);
    if (a.loop)
      return matchLoops(*a.loop, *b.loop);
    auto sameTarget = [&](const Step::Target &x, const Step::Target &y) {
      return x.index == y.index && bool(x.position) == bool(y.position) &&
             (!x.position || match(*x.position, *y.position));
    };
    auto sameIndex = [](const Index &x, const Index &y) { return x.extent == y.extent && x.left == y.left; };
    return match(a.result, b.result) && a.left == b.left && a.parts == b.parts && a.offsets == b.offsets &&
           a.join == b.join &&
           std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(), sameTarget) &&
           std::equal(a.indices->begin(), a.indices->end(), b.indices->begin(), b.indices->end(), sameIndex) &&
           match(*a.value, *b.value);
  }

  // Compares inner loops. Their own numbers must not change with this iteration, too: emission handles one loop for
  // each number.
  bool matchLoops(const Loop &a, const Loop &b) {
    auto sameCarry = [&](const Loop::Carry &x, const Loop::Carry &y) {
      return match(x.init, y.init) && match(x.argument, y.argument) && match(x.next, y.next) && match(x.last, y.last);
    };
    auto sameElement = [&](const Loop::Element &x, const Loop::Element &y) {
      return match(x.value, y.value) && match(x.whole, y.whole) && x.axis == y.axis && x.reverse == y.reverse;
    };
    if (a.iterations != b.iterations)
      return refuse(fewer);
    if (a.numbers.size() != b.numbers.size() || a.positions.size() != b.positions.size() ||
        !std::equal(a.carries.begin(), a.carries.end(), b.carries.begin(), b.carries.end(), sameCarry) ||
        !std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), sameElement))
      return false;
    inner.push_back({&a, &b});
    bool same = match(a.steps, b.steps);
    inner.pop_back();
    return same;
  }

  /// Whether inner loops agree on a number. Nullopt if it belongs to none of them.
  template <typename Key>
  std::optional<bool> sameInner(std::map<Key, Loop::Linear> Loop::*table, Key a, Key b) {
    for (auto [first, own] : inner) {
      auto found = (first->*table).find(a), other = (own->*table).find(b);
      bool has = found != (first->*table).end(), hasOther = other != (own->*table).end();
      if (has != hasOther)
        return false;
      if (!has)
        continue;
      bool same = found->second.first == other->second.first && found->second.step == other->second.step;
      return same || refuse("a position or a number depends on its iteration and on the iteration of a loop within it");
    }
    return std::nullopt;
  }

  // Whether a number is linear: the second iteration gives the step, every further one must confirm it.
  template <typename Key>
  bool linear(std::map<Key, Loop::Linear> Loop::*table, Key key, Key other, int64_t first, int64_t own) {
    if (std::optional<bool> same = sameInner(table, key, other))
      return *same;
    std::map<Key, Loop::Linear> &found = loop.*table;
    if (distance == 1 && own != first)
      found[key] = {first, own - first};
    auto it = found.find(key);
    int64_t step = it == found.end() ? 0 : it->second.step;
    // Numbers of iterations are counted in i32.
    return own == first + step * distance && std::abs(own) <= INT32_MAX && std::abs(first) <= INT32_MAX;
  }

  bool matchNumbers(const Node &a, const Node &b) {
    if (std::optional<bool> same = sameInner<const Node *>(&Loop::numbers, &a, &b))
      return *same;
    auto isInteger = [](double x) { return x == std::floor(x) && std::abs(x) <= INT32_MAX; };
    if (!isInteger(a.number) || !isInteger(b.number)) // of NaN too
      return a.number == b.number;
    return linear<const Node *>(&Loop::numbers, &a, &b, int64_t(a.number), int64_t(b.number));
  }

  bool match(const Node::Position &a, const Node::Position &b, bool isOwn) {
    if (a.indices != b.indices || a.strides != b.strides || bool(a.gathered) != bool(b.gathered))
      return false;
    if (a.gathered)
      return match(*a.gathered, *b.gathered);
    int64_t first = a.constant.value_or(a.start), own = b.constant.value_or(b.start);
    if (!linear<const Node::Position *>(&Loop::positions, &a, &b, first, own))
      return false;
    // A value of the iteration itself may be read at a moving number only element by element: a loop does not stack it.
    return !isOwn || !loop.positions.count(&a) || (a.constant && b.constant);
  }

  bool match(const Node &a, const Node &b) {
    if (a.kind != b.kind || a.element != b.element || a.function != b.function || a.index != b.index ||
        a.padding != b.padding || a.operators != b.operators || a.negated != b.negated || a.summed != b.summed ||
        a.dims != b.dims || a.positions.size() != b.positions.size() || a.operands.size() != b.operands.size())
      return false;
    if (a.kind == Node::Number)
      return matchNumbers(a, b);
    if (a.kind == Node::Read && !match(a.value, b.value))
      return false;
    // At most one position of a read may move: a slice of the loop moves along one axis.
    int moving = 0;
    for (size_t i = 0; i < a.positions.size(); ++i) {
      if (!match(a.positions[i], b.positions[i], a.kind == Node::Read && a.value >= base))
        return false;
      moving += loop.positions.count(&a.positions[i]);
      for (auto [first, own] : inner)
        moving += first->positions.count(&a.positions[i]);
    }
    if (moving > 1)
      return refuse(
          inner.empty()
              ? "a value is read along a diagonal, at two positions that change with the iteration"
              : "a value is read at a position of its iteration and at one of the iteration of a loop within it");
    for (size_t i = 0; i < a.operands.size(); ++i)
      if (!match(*a.operands[i], *b.operands[i]))
        return false;
    return true;
  }

  bool refuse(StringRef reason) {
    why = reason;
    return false;
  }

  Loop &loop;
  StringRef why;
  const int64_t distance;
  const ValueId base, ownBase;
  std::vector<std::pair<const Loop *, const Loop *>> inner;
};

} // namespace

IterationRoller::Snapshot::Snapshot(const Scope &scope, const Body &body, size_t steps)
    : names(scope.names), defined(scope.defined), uses(scope.uses), declared(scope.declared),
      collected(scope.collected), values(body.values.size()), equations(body.steps.size()), nodes(body.nodes.size()),
      frames(body.frames.size()), steps(steps) {}

void IterationRoller::Snapshot::giveNames(Scope &scope) const {
  scope.names = names;
  scope.defined = defined;
  scope.uses = uses;
  scope.declared = declared;
  scope.collected = collected;
}

/// Undoes the elaboration of an iteration.
void IterationRoller::restore(const Snapshot &before) {
  before.giveNames(scope);
  body.values.resize(before.values);
  body.steps.resize(before.equations);
  body.nodes.resize(before.nodes);
  body.frames.resize(before.frames);
  elaborator.steps = before.steps;
}

/// A layer's call has paths and parameters of its own in each iteration, so it cannot be in a loop.
bool IterationRoller::callsNoLayer(const Expr &expr) const {
  if (expr.kind == Expr::Call) {
    const auto &seen = elaborator.library.seenBy(scope.function);
    auto found = seen.find(expr.name);
    if (found != seen.end() && found->second->kind == Function::Layer)
      return false;
  }
  auto fine = [&](const Expr *each) { return !each || callsNoLayer(*each); };
  return llvm::all_of(expr.operands, fine) &&
         llvm::all_of(expr.indices, [&](const IndexEntry &entry) { return fine(entry.expr); });
}

bool IterationRoller::callsNoLayer(const std::vector<Statement *> &statements) const {
  return llvm::all_of(statements, [&](const Statement *statement) {
    switch (statement->kind) {
    case Statement::Rule: return !statement->isBroken && callsNoLayer(*statement->value);
    case Statement::Extents: return !statement->isBroken;
    case Statement::Repeat: return !statement->isBroken && callsNoLayer(statement->body);
    case Statement::Param:
    case Statement::Share:
    case Statement::Stash:
    case Statement::Pop:
    case Statement::State: return false;
    }
    llvm_unreachable("no kind of a statement");
  });
}

/// Whether all positions and sizes that contain the index of the `repeat` are sums. Two iterations then determine all
/// of them.
bool IterationRoller::isLinear(const Expr &expr) const {
  auto isSum = [&](const Expr *each) {
    while (each->kind == Expr::Paren)
      each = each->operands[0];
    return !mentions(*each, repeat.iteration) || each->kind == Expr::Name ||
           (each->kind == Expr::Sum && llvm::all_of(each->operands, [&](const Expr *operand) {
              return operand->kind == Expr::Name || !mentions(*operand, repeat.iteration);
            }));
  };
  return llvm::all_of(expr.operands, [&](const Expr *each) { return isLinear(*each); }) &&
         llvm::none_of(expr.given,
                       [&](const NamedExpr &each) { return each.value && mentions(*each.value, repeat.iteration); }) &&
         llvm::all_of(expr.indices, [&](const IndexEntry &entry) {
           return (!entry.expr || (isSum(entry.expr) && isLinear(*entry.expr))) &&
                  (!entry.extent || !mentions(*entry.extent, repeat.iteration));
         });
}

/// Whether the number of iterations of an inner loop depends on the iteration around it.
bool IterationRoller::countsIterations(const Statement &statement) const {
  return statement.kind == Statement::Repeat &&
         (mentions(*statement.value, repeat.iteration) ||
          llvm::any_of(statement.body, [&](const Statement *each) { return countsIterations(*each); }));
}

bool IterationRoller::isLinear(const std::vector<Statement *> &statements) const {
  return llvm::all_of(statements, [&](const Statement *statement) {
    Expr left;
    left.kind = Expr::Access;
    left.location = statement->location;
    for (const Declarator &each : statement->lefts)
      llvm::append_range(left.indices, each.axes);
    return !countsIterations(*statement) && isLinear(left) && (!statement->value || isLinear(*statement->value)) &&
           isLinear(statement->body);
  });
}

/// Elaborates one iteration into the body. Returns whether there was no error.
bool IterationRoller::elaborate(int64_t iteration) {
  if (!repeat.iteration.empty()) {
    scope.sizes.bind(repeat.iteration, {iteration, repeat.iterationLocation});
    scope.iterationCounts[repeat.iteration] = count;
  }
  size_t errors = elaborator.diagnostics.size();
  elaborator.elaborateBody(repeat.body, scope, body);
  return elaborator.diagnostics.size() == errors && !body.broken;
}

/// The names that an iteration rebinds and the next one reads: the carries. Nullopt if one of them is no whole tensor
/// of one type.
std::optional<std::vector<std::string>> IterationRoller::findCarried(int64_t first) {
  Snapshot before(scope, body, elaborator.steps);
  if (!elaborate(first))
    return std::nullopt;
  std::vector<std::string> names;
  for (const auto &[name, old] : before.names) {
    const Binding &now = scope.names[name];
    if (old.kind == now.kind && (old.kind != Binding::Tensor || old.view.value == now.view.value))
      continue;
    if (old.kind != Binding::Tensor || now.kind != Binding::Tensor || !old.view.isWhole() || !now.view.isWhole())
      return std::nullopt;
    const Value &from = body.values[old.view.value], &to = body.values[now.view.value];
    auto sameAxis = [](const Axis &a, const Axis &b) { return a.extent == b.extent; };
    if (from.element != to.element ||
        !std::equal(from.axes.begin(), from.axes.end(), to.axes.begin(), to.axes.end(), sameAxis))
      return std::nullopt;
    names.push_back(name.str());
  }
  llvm::sort(names);
  return names;
}

/// Elaborates an iteration and takes its equations out of the body.
std::optional<IterationRoller::Turn> IterationRoller::take(int64_t iteration) {
  Turn made;
  made.base = body.values.size();
  size_t equations = body.steps.size();
  if (!elaborate(iteration))
    return std::nullopt;
  for (const std::string &name : carried) {
    const Binding &now = scope.names[name];
    if (now.kind != Binding::Tensor || !now.view.isWhole())
      return std::nullopt;
    made.next.push_back(now.view.value);
  }
  for (const auto &[name, now] : scope.collected) {
    if (now.iteration != repeat.iteration)
      continue;
    if (now.slices.size() != 1 || now.whole.extent != count || !now.slices.begin()->second.view.isWhole())
      return std::nullopt;
    made.elements.push_back({name, now.slices.begin()->first, now.slices.begin()->second.view.value});
  }
  made.steps.assign(std::make_move_iterator(body.steps.begin() + equations), std::make_move_iterator(body.steps.end()));
  body.steps.resize(equations);
  return made;
}

/// Whether another iteration equals the first one, except for numbers that are linear.
bool IterationRoller::isLike(const Turn &first, const Turn &other, int64_t distance) {
  IterationMatcher matcher(*loop, distance, first.base, other.base);
  auto sameElement = [&](const Turn::Element &a, const Turn::Element &b) {
    // From the first position up, or from the last one down.
    int64_t expected = a.position == 0 ? distance : a.position - distance;
    return a.name == b.name && b.position == expected && matcher.match(a.value, b.value);
  };
  bool alike = matcher.match(first.steps, other.steps) &&
               std::equal(first.next.begin(), first.next.end(), other.next.begin(), other.next.end(),
                          [&](ValueId a, ValueId b) { return matcher.match(a, b); }) &&
               std::equal(first.elements.begin(), first.elements.end(), other.elements.begin(), other.elements.end(),
                          sameElement);
  if (!alike)
    why = matcher.whyNot().str();
  return alike;
}

/// Steps: find the carries; elaborate the first iteration with placeholders for them; compare the others with it; make
/// the loop. Any failure restores the body.
bool IterationRoller::roll(int64_t first, int64_t iterations) {
  count = iterations;
  loop->iteration = repeat.iteration;
  loop->first = first;
  loop->iterations = count - first;
  if (loop->iterations < fewestIterations || scope.function.kind == Function::Model || body.broken)
    return false;
  if (!callsNoLayer(repeat.body)) {
    why = "they call layers, which have parameters of their own in each iteration";
    return false;
  }
  const Snapshot before(scope, body, elaborator.steps);
  const size_t mark = elaborator.diagnostics.mark();
  const bool wasBroken = body.broken;
  scope.iterations += ".0"; // allows names to be bound anew
  scope.dependsOnIteration = false;
  if (!repeat.iteration.empty())
    scope.rolled[repeat.iteration] = body.values.size();
  auto giveUp = [&](const llvm::Twine &reason) {
    // Errors are dropped: the copies report them again.
    why = reason.str();
    restore(before);
    elaborator.diagnostics.rewind(mark);
    body.broken = wasBroken;
    scope.rolled.erase(repeat.iteration);
    return false;
  };
  std::optional<std::vector<std::string>> names = findCarried(first);
  if (!names)
    return giveUp("");
  restore(before);
  carried = *names;
  for (const std::string &name : carried) {
    Binding &binding = scope.names[name];
    ValueId argument = body.add(Value(body.values[binding.view.value]));
    loop->carries.push_back({binding.view.value, argument, 0, 0});
    binding.view = body.whole(argument);
  }
  const Snapshot start(scope, body, elaborator.steps);
  std::optional<Turn> iteration = take(first);
  if (!iteration)
    return giveUp("");
  const Snapshot behind(scope, body, elaborator.steps);
  // If the text is linear, two iterations determine all numbers, and the last one shows that they stay in range.
  // Otherwise every iteration is compared.
  const bool needsAll = !repeat.iteration.empty() && !isLinear(repeat.body);
  for (int64_t distance = 1; distance < loop->iterations; ++distance) {
    if (!needsAll && !scope.dependsOnIteration && distance > 2 && distance < loop->iterations - 1)
      continue;
    start.giveNames(scope);
    std::optional<Turn> other = take(first + distance);
    if (!other || !isLike(*iteration, *other, distance)) {
      std::string unlike = llvm::formatv("iteration {0} is not like iteration {1}", first + distance, first);
      if (llvm::any_of(repeat.body, [&](const Statement *each) { return countsIterations(*each); }))
        why = fewer;
      return giveUp(why.empty() ? unlike : why);
    }
    restore(behind);
  }
  finish(*iteration, before);
  return true;
}

/// Appends the loop as one step, and binds its carries and collected elements.
void IterationRoller::finish(const Turn &iteration, const Snapshot &before) {
  scope.names = before.names;
  scope.rolled.erase(repeat.iteration);
  for (auto [name, carry, next] : llvm::zip(carried, loop->carries, iteration.next)) {
    carry.next = next;
    carry.last = body.add(Value(body.values[next]));
    scope.names[name].view = body.whole(carry.last);
  }
  for (const Turn::Element &element : iteration.elements) {
    Scope::Collected &collected = scope.collected.find(element.name)->second;
    Value whole = body.values[element.value];
    whole.axes.insert(whole.axes.begin() + collected.axis, collected.whole);
    Binding binding;
    binding.kind = Binding::Tensor;
    binding.location = collected.left->location;
    ValueId id = body.add(std::move(whole));
    binding.view = body.whole(id);
    loop->elements.push_back({element.value, id, collected.axis, element.position > 0});
    collected.rolled = binding;
  }
  loop->steps = iteration.steps;
  Step step;
  step.location = repeat.location;
  step.frame = scope.frame;
  step.loop = loop;
  body.steps.push_back(std::move(step));
}
