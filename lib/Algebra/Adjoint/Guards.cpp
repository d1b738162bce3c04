//===- Guards.cpp - where a gradient is exactly 0 -------------------------===//
#include "Guards.h"
#include "FreeValues.h"
#include "plc/Dialect/Ein/Views.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

// The dimensions of conditions, in order of first occurrence.
static Dims conditionDims(ArrayRef<GuardList> lists) {
  Dims dims;
  for (const GuardList &list : lists)
    for (const Guard &guard : list)
      dims.append(guard.axes.begin(), guard.axes.end());
  return distinct(dims);
}

// Identifies guards independently of the numbers of dimensions: those of `dims` count by index.
static std::vector<int64_t> keyOfGuards(ArrayRef<GuardList> lists, ArrayRef<int64_t> dims) {
  std::vector<int64_t> key;
  for (const GuardList &list : lists) {
    key.push_back(list.size());
    for (const Guard &guard : list) {
      key.push_back(reinterpret_cast<intptr_t>(guard.cond.getAsOpaquePointer()));
      key.push_back(guard.dead);
      key.push_back(guard.axes.size());
      for (int64_t dim : guard.axes)
        key.push_back(llvm::find(dims, dim) - dims.begin());
    }
  }
  return key;
}

// Where no guard is dead: the conjunction of all conditions.
Access Guards::alive(EquationBuilder &build, const GuardList &guards) {
  Access all;
  for (const Guard &guard : guards) {
    Access one{guard.cond, guard.axes};
    if (guard.dead)
      one = {build.map(Function::logical_not, one, distinct(one.dims)), distinct(one.dims)};
    if (!all.value) {
      all = one;
      continue;
    }
    Dims both(all.dims);
    both.append(one.dims.begin(), one.dims.end());
    both = distinct(both);
    all = {build.map(Function::logical_and, {all, one}, both), both};
  }
  return all;
}

Guard Guards::memoised(std::vector<int64_t> key, ArrayRef<int64_t> dims, llvm::function_ref<Value()> make) {
  auto [it, isNew] = made.try_emplace(std::move(key));
  if (isNew)
    it->second = make();
  return {it->second, false, Dims(dims)};
}

// If the lists differ in one guard, which is `c` in one and `not c` in the other: its index in `b`.
static std::optional<size_t> otherSide(const GuardList &a, const GuardList &b) {
  if (a.size() != b.size())
    return std::nullopt;
  std::optional<size_t> found;
  for (auto [i, guard] : llvm::enumerate(b)) {
    if (llvm::is_contained(a, guard))
      continue;
    Guard flipped = guard;
    flipped.dead = !flipped.dead;
    if (found || !llvm::is_contained(a, flipped))
      return std::nullopt;
    found = i;
  }
  return found;
}

// Joins lists that are alive on both sides of a condition. An `if` whose two branches read one value leaves that value
// alive wherever the `if` is.
static void joinSides(SmallVector<GuardList> &lists) {
  // Each join removes a list, so the recursion ends.
  for (size_t i = 0; i < lists.size(); ++i)
    for (size_t j = i + 1; j < lists.size(); ++j)
      if (std::optional<size_t> side = otherSide(lists[i], lists[j])) {
        lists[j].erase(lists[j].begin() + *side);
        lists.erase(lists.begin() + i);
        return joinSides(lists);
      }
}

GuardList Guards::ofSum(Location loc, Dimensions axes, ArrayRef<GuardList> values) {
  // 1. Guards that all values have hold for the sum as they are.
  GuardList common(values.front());
  for (const GuardList &guards : values.drop_front())
    llvm::erase_if(common, [&](const Guard &guard) { return !llvm::is_contained(guards, guard); });
  // 2. Of the others, pairs of opposite conditions vanish.
  SmallVector<GuardList> rests(values);
  for (GuardList &rest : rests)
    llvm::erase_if(rest, [&](const Guard &guard) { return llvm::is_contained(common, guard); });
  joinSides(rests);
  // 3. A value without further guards keeps the sum alive there.
  if (llvm::any_of(rests, [](const GuardList &rest) { return rest.empty(); }))
    return common;
  if (rests.size() == 1) {
    common.append(rests.front());
    return common;
  }
  // 4. Else the sum is alive where any value is.
  Dims dims = conditionDims(rests);
  common.push_back(memoised(keyOfGuards(rests, dims), dims, [&] {
    EquationBuilder build(builder, loc, axes);
    Access some = alive(build, rests.front());
    for (const GuardList &rest : llvm::drop_begin(rests))
      some = {build.map(Function::logical_or, {some, alive(build, rest)}, dims), dims};
    return some.value;
  }));
  return common;
}

// A point of some dimensions, by its number in row-major order.
static void decode(int64_t number, ArrayRef<int64_t> extents, ArrayRef<int64_t> dims,
                   DenseMap<int64_t, int64_t> &point) {
  for (int64_t dim : llvm::reverse(dims)) {
    point[dim] = number % extents[dim];
    number /= extents[dim];
  }
}

// Whether no guard is dead at a point; nullopt if that depends on data.
static std::optional<bool> isAlive(FreeValues &values, const GuardList &guards,
                                   const DenseMap<int64_t, int64_t> &point) {
  for (const Guard &guard : guards) {
    Dims at;
    for (int64_t dim : guard.axes)
      at.push_back(point.lookup(dim));
    std::optional<int64_t> cond = values.at(guard.cond, at);
    if (!cond || (*cond != 0) == guard.dead)
      return cond ? std::optional(false) : std::nullopt;
  }
  return true;
}

// Whether each sum has a summand that is known to be alive. Masks have edges, so the summand found for one sum is tried
// first for the next.
static bool isNeverDead(ArrayRef<int64_t> extents, const GuardList &guards, const Dims &kept, const Dims &summed) {
  // Not tuned. Large enough for a causal mask of 100,000 rows, which takes a few evaluations for each; small enough
  // that no mask takes more than a million. Beyond it a guard is made that may be useless, but never a wrong one.
  constexpr int64_t budget = int64_t(1) << 20;
  auto sizeOf = [&](const Dims &dims) {
    int64_t size = 1;
    for (int64_t dim : dims)
      // Saturates at the budget, which also keeps the product from overflowing.
      size = std::min(budget, size * std::min(budget, extents[dim]));
    return size;
  };
  FreeValues values(budget);
  DenseMap<int64_t, int64_t> point;
  int64_t sums = sizeOf(kept), summands = sizeOf(summed);
  // Too many sums to try each one.
  if (sums == budget)
    return false;
  for (int64_t sum = 0, summand = 0; sum < sums; ++sum) {
    decode(sum, extents, kept, point);
    for (int64_t tried = 0;; ++tried, summand = (summand + 1) % summands) {
      decode(summand, extents, summed, point);
      std::optional<bool> alive = isAlive(values, guards, point);
      // Data decides, or every summand was tried.
      if (!alive || tried == summands)
        return false;
      if (*alive)
        break;
    }
  }
  return true;
}

GuardList Guards::ofSumOver(Location loc, Dimensions domain, const GuardList &guards, ArrayRef<int64_t> kept,
                            Type element) {
  // A guard over kept dimensions alone is the same for all summands.
  GuardList whole, summed;
  for (const Guard &guard : guards)
    (containsAll(kept, guard.axes) ? whole : summed).push_back(guard);
  if (summed.empty())
    return whole;
  Dims dims = conditionDims(summed), left, gone;
  for (int64_t dim : dims)
    (contains(kept, dim) ? left : gone).push_back(dim);
  if (isNeverDead(domain.extents, summed, left, gone))
    return whole;
  std::vector<int64_t> key = keyOfGuards(summed, dims);
  // The same conditions reduced to other dimensions are another guard.
  for (int64_t dim : left)
    key.push_back(llvm::find(dims, dim) - dims.begin());
  whole.push_back(memoised(std::move(key), left, [&] {
    EquationBuilder build(builder, loc, domain);
    Access one = build.constant(1, element), zero = build.constant(0, element);
    // Whether any of them is alive: a maximum of 1 and 0 is above 0.
    Access counted{build.map(Function::select, {alive(build, summed), one, zero}, dims), dims};
    Access most{build.reduce(ein::Reduction::max, counted, left), left};
    return build.map(Function::gt, {most, zero}, left);
  }));
  return whole;
}

namespace {

// Takes a guard from a view's result to its input. Axes behind `axis` are `shift` further there.
struct Regrouping {
  int64_t axis, parts, shift;

  explicit Regrouping(Operation *view) {
    int64_t from = shapeOf(view->getOperand(0)).size(), to = shapeOf(view->getResult(0)).size();
    axis = isa<ein::SplitOp>(view) ? cast<ein::SplitOp>(view).getAxis() : cast<ein::MergeOp>(view).getAxis();
    parts = std::max(from, to) - std::min(from, to) + 1;
    shift = from - to;
  }
  bool changes(int64_t resultAxis) const { return resultAxis >= axis && resultAxis < axis + (shift < 0 ? parts : 1); }
  int64_t moved(int64_t resultAxis) const { return resultAxis < axis ? resultAxis : resultAxis + shift; }
};

} // namespace

GuardList Guards::unview(Operation *view, const GuardList &guards) {
  Regrouping regrouping(view);
  int64_t axis = regrouping.axis, wide = regrouping.shift < 0 ? regrouping.parts : 1;
  GuardList result;
  for (const Guard &guard : guards) {
    Dims dims = distinct(guard.axes), axes;
    Value cond = guard.cond;
    if (llvm::any_of(dims, [&](int64_t dim) { return regrouping.changes(dim); })) {
      // All axes that change must be side by side. The condition is repeated along those that it lacks.
      for (int64_t part = axis; part < axis + wide; ++part)
        if (!contains(dims, part))
          dims.push_back(part);
      llvm::sort(dims);
      EquationBuilder build(builder, view->getLoc(), dimensionsOf(view->getResult(0)));
      cond = build.copy({cond, guard.axes}, dims);
      int64_t position = llvm::find(dims, axis) - dims.begin();
      if (wide > 1)
        cond = ein::merge(builder, view->getLoc(), cond, position, wide);
      else
        cond = ein::split(builder, view->getLoc(), cond, position,
                          shapeOf(view->getOperand(0)).slice(axis, regrouping.parts));
      for (int64_t dim : dims)
        if (!regrouping.changes(dim))
          axes.push_back(regrouping.moved(dim));
      for (int64_t part = axis; part < axis + (wide > 1 ? 1 : regrouping.parts); ++part)
        axes.push_back(part);
      llvm::sort(axes);
    } else {
      for (int64_t dim : guard.axes)
        axes.push_back(regrouping.moved(dim));
    }
    result.push_back({cond, guard.dead, axes});
  }
  return result;
}
