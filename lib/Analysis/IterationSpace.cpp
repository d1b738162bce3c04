//===- IterationSpace.cpp - a common iteration domain of equations --------===//
#include "plc/Analysis/IterationSpace.h"

#include "plc/Dialect/Ein/MicroBatches.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace plc::ein;

Iteration plc::ein::iterationOf(Operation *op) {
  Iteration it;
  if (auto equation = dyn_cast<Equation>(op)) {
    it.extents.assign(equation.getExtents().begin(), equation.getExtents().end());
    for (unsigned i = 0; i < equation.getInputs().size(); ++i)
      it.inputs.push_back(equation.getInputMap(i));
    it.result = equation.getResultMap();
    return it;
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  it.extents.assign(type.getShape().begin(), type.getShape().end());
  it.result = AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  it.inputs.append(op->getNumOperands(), it.result);
  return it;
}

int64_t plc::ein::pointsOf(Operation *op) {
  uint64_t points = 1;
  for (int64_t extent : iterationOf(op).extents)
    points = llvm::SaturatingMultiply(points, uint64_t(extent));
  return int64_t(std::min<uint64_t>(points, INT64_MAX));
}

int plc::ein::dimOf(AffineMap map, unsigned axis) {
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(axis));
  return dim ? int(dim.getPosition()) : -1;
}

bool plc::ein::isFree(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<IotaOp, ConstantOp>(op))
    return true;
  return isa<MapOp, CastOp>(op) && llvm::all_of(op->getOperands(), isFree);
}

namespace {

// Unifies dimensions of equations: a node for each dimension of each equation, an equivalence class for each dimension
// of the common domain.
class Aligner {
public:
  explicit Aligner(ArrayRef<Operation *> equations) : equations(equations) {
    for (Operation *op : equations) {
      first[op] = extents.size();
      its[op] = iterationOf(op);
      auto equation = dyn_cast<Equation>(op);
      std::optional<int64_t> batch = equation ? batchDimOf(equation) : batchAxisOf(op->getResult(0).getType());
      for (auto [dim, extent] : llvm::enumerate(its[op].extents)) {
        classes.insert(unsigned(extents.size()));
        extents.push_back(extent);
        isBatch.push_back(int64_t(dim) == batch);
      }
    }
  }

  // Steps: unify by values read, choose the rows, unify what is left in order, check, number the classes.
  std::optional<IterationSpace> run() {
    if (!link() || !findRows() || !matchInner() || !consistent())
      return std::nullopt;
    return result();
  }

private:
  using Dims = SmallVector<unsigned>;
  unsigned leader(unsigned node) const { return classes.getLeaderValue(node); }
  unsigned node(Operation *op, unsigned dim) const { return first.lookup(op) + dim; }
  unsigned rank(Operation *op) const { return its.find(op)->second.extents.size(); }

  // Unifies the reader's dimensions with the maker's, for each value read inside the group. False if two gathers read
  // other elements of rows.
  bool link() {
    for (Operation *op : equations)
      for (auto [index, map] : llvm::enumerate(its[op].inputs)) {
        Operation *maker = op->getOperand(index).getDefiningOp();
        if (!maker || !first.contains(maker))
          continue;
        for (unsigned axis = 0; axis < map.getNumResults(); ++axis) {
          int made = dimOf(its[maker].result, axis), read = dimOf(map, axis);
          if (read >= 0)
            classes.unionSets(node(op, read), node(maker, made));
          else if (rowRead) // one gather per row dimension only
            return false;
          else
            rowRead = {maker, unsigned(made)};
        }
      }
    return true;
  }

  // Chooses the outer dimensions: those that reductions keep, else all but the one that a gather indexes, else those of
  // the equation with the fewest.
  bool findRows() {
    Operation *fewest = equations.front();
    bool mixed = false;
    for (Operation *op : equations) {
      if (isa<ReduceOp>(op) && !reducer)
        reducer = op;
      mixed |= rank(op) != rank(fewest);
      if (rank(op) < rank(fewest))
        fewest = op;
    }
    hasRows = reducer || rowRead || mixed;
    if (reducer) {
      AffineMap kept = its[reducer].result;
      for (unsigned axis = 0; axis < kept.getNumResults(); ++axis)
        rows.insert(node(reducer, dimOf(kept, axis)));
    } else if (rowRead) {
      for (unsigned dim = 0; dim < rank(rowRead->first); ++dim)
        if (dim != rowRead->second)
          rows.insert(node(rowRead->first, dim));
    } else if (mixed) {
      for (unsigned dim = 0; dim < rank(fewest); ++dim)
        rows.insert(node(fewest, dim));
    }
    return true;
  }

  bool isRow(unsigned member) const {
    return llvm::any_of(rows, [&](unsigned row) { return leader(row) == leader(member); });
  }

  // Unifies inner dimensions that no value has unified yet, in order. False if an equation has some of them, but not
  // all.
  bool matchInner() {
    Operation *model = reducer;
    for (Operation *op : equations)
      if (!model && rank(op) > rows.size())
        model = op;
    if (!model) {
      inner = {};
      return true;
    }
    for (unsigned dim = 0; dim < rank(model); ++dim)
      if (!isRow(node(model, dim)))
        inner.push_back(node(model, dim));
    for (Operation *op : equations) {
      Dims left, open(inner.begin(), inner.end());
      for (unsigned dim = 0; dim < rank(op); ++dim) {
        unsigned mine = node(op, dim);
        if (isRow(mine))
          continue;
        auto same = llvm::find_if(open, [&](unsigned other) { return leader(other) == leader(mine); });
        if (same != open.end())
          open.erase(same);
        else
          left.push_back(mine);
      }
      if (!left.empty() && left.size() != open.size())
        return false;
      for (auto [mine, other] : llvm::zip(left, open))
        classes.unionSets(mine, other);
    }
    return true;
  }

  // Checks the constraints of an IterationSpace: equal extents in a class, no class twice in an equation, all
  // dimensions or just the rows. The batch has another extent in other micro-batches, so it never shares a class with a
  // dimension that only happens to be as long.
  bool consistent() {
    for (unsigned i = 0; i < extents.size(); ++i)
      if (extents[i] != extents[leader(i)] || isBatch[i] != isBatch[leader(i)])
        return false;
    for (Operation *op : equations) {
      llvm::SmallDenseSet<unsigned> seen;
      unsigned outer = 0;
      for (unsigned dim = 0; dim < rank(op); ++dim) {
        if (!seen.insert(leader(node(op, dim))).second)
          return false;
        outer += isRow(node(op, dim));
      }
      if (outer != rows.size() || (rank(op) != outer && rank(op) != outer + inner.size()))
        return false;
      if (auto reduce = dyn_cast<ReduceOp>(op))
        if (!keepsRows(reduce) || !sameOrder(reduce))
          return false;
    }
    if (rowRead && (inner.size() != 1 || leader(node(rowRead->first, rowRead->second)) != leader(inner.front())))
      return false;
    return true;
  }

  // Whether a reduction keeps exactly the outer dimensions.
  bool keepsRows(ReduceOp reduce) {
    AffineMap kept = its[reduce].result;
    if (kept.getNumResults() != rows.size())
      return false;
    for (unsigned axis = 0; axis < kept.getNumResults(); ++axis)
      if (!isRow(node(reduce, dimOf(kept, axis))))
        return false;
    return true;
  }

  // Whether a reduction flattens the inner dimensions in their order: the order of the sum depends on it.
  bool sameOrder(ReduceOp reduce) {
    unsigned next = 0;
    for (unsigned dim = 0; dim < rank(reduce); ++dim)
      if (!isRow(node(reduce, dim)))
        if (next == inner.size() || leader(node(reduce, dim)) != leader(inner[next++]))
          return false;
    return next == inner.size();
  }

  // Numbers the classes: outer dimensions in the memory order of the first equation over the whole domain, then the
  // inner ones.
  IterationSpace result() {
    Operation *model = equations.front();
    for (Operation *op : llvm::reverse(equations))
      if (rank(op) == rows.size() + inner.size())
        model = op;
    AffineMap layout = isa<ReduceOp>(model) ? its[model].inputs.front() : its[model].result;
    IterationSpace alignment;
    DenseMap<unsigned, unsigned> position;
    auto place = [&](unsigned member) {
      if (position.try_emplace(leader(member), alignment.extents.size()).second)
        alignment.extents.push_back(extents[member]);
    };
    for (unsigned axis = 0; axis < layout.getNumResults(); ++axis) {
      int dim = dimOf(layout, axis);
      if (dim >= 0 && (!hasRows || isRow(node(model, dim))))
        place(node(model, dim));
    }
    for (unsigned dim = 0; dim < rank(model); ++dim)
      if (hasRows && isRow(node(model, dim)))
        place(node(model, dim));
    alignment.outer = alignment.extents.size();
    if (!hasRows && alignment.outer)
      --alignment.outer;
    for (unsigned member : inner)
      place(member);
    for (Operation *op : equations)
      for (unsigned dim = 0; dim < rank(op); ++dim)
        alignment.dims[op].push_back(position.lookup(leader(node(op, dim))));
    for (Operation *op : equations)
      alignment.dims.try_emplace(op);
    return alignment;
  }

  ArrayRef<Operation *> equations;
  DenseMap<Operation *, unsigned> first;
  DenseMap<Operation *, Iteration> its;
  SmallVector<int64_t> extents;
  SmallVector<bool> isBatch; // of nodes, as extents
  llvm::EquivalenceClasses<unsigned> classes;
  llvm::SmallSetVector<unsigned, 4> rows;
  Dims inner;
  Operation *reducer = nullptr;
  std::optional<std::pair<Operation *, unsigned>> rowRead;
  bool hasRows = false;
};

} // namespace

std::optional<IterationSpace> plc::ein::unifyDomains(ArrayRef<Operation *> equations) {
  if (equations.empty())
    return std::nullopt;
  return Aligner(equations).run();
}
