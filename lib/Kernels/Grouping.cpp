//===- Grouping.cpp - groups the equations of a body in kernels -----------===//
#include "Grouping.h"

#include "plc/Analysis/GatheredFactors.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/ScatteredProducts.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "form-kernels"

using namespace mlir;
using namespace plc;
using namespace plc::kernels;
using plan::KernelKind;

namespace {

using Equations = SmallVector<Operation *>;

// Reports equations that earlier passes should have rewritten, and names the pass.
LogicalResult checkReady(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), ein::lacksPrecision) ||
      llvm::any_of(op->getResultTypes(), ein::lacksPrecision))
    return op->emitOpError("has elements of type '!ein.real': run '--ein-precision' first");
  if (isa<ein::IotaOp, ein::ConstantOp, ein::CastOp, ein::MapOp, ein::GatherOp, ein::ScatterAddOp, ein::PutOp,
          ein::InsertSliceOp, ein::LoopOp>(op) ||
      ein::isView(op))
    return success();
  if (auto contract = dyn_cast<ein::ContractOp>(op)) {
    if (contract.getInputs().size() != 2)
      return op->emitOpError("has ") << contract.getInputs().size()
                                     << " operands but a kernel takes 2: run '--ein-order-contractions' first";
    if (!contract.getOrder())
      return op->emitOpError("has no order: run '--ein-fix-numerics' first");
    return success();
  }
  if (auto reduce = dyn_cast<ein::ReduceOp>(op)) {
    if (!reduce.getOrder())
      return op->emitOpError("has no order: run '--ein-fix-numerics' first");
    return success();
  }
  return op->emitOpError("is no equation that a kernel can hold");
}

// The equation that computes a scatter's updates, if the scatter can compute them as it adds.
Operation *claimedBy(Operation *op) {
  auto scatter = dyn_cast<ein::ScatterAddOp>(op);
  return scatter ? ein::fusedUpdates(scatter).getOperation() : nullptr;
}

// Reductions of order `chain` are kernels of columns.
bool isChain(Operation *op) {
  auto reduce = dyn_cast<ein::ReduceOp>(op);
  return reduce && reduce.getOrder() == ein::Order::chain;
}

// Groups greedily in program order. Variables: the group of each equation. Constraints: each group has a common domain,
// groups form no cycle, and no group mixes shards. It aims at few kernels and values in memory, with no claim to be
// optimal.
//
// Nodes (groups, and equations without one) are kept in a topological order, in which each equation joins only groups
// that it reads.
class Grouper {
public:
  Grouper(Block &body, bool fusion, const PartOfValue &parts) : body(body), fusion(fusion), parts(parts) {}

  // Column reductions and scatters claim their private operands first: rows would take them otherwise.
  FailureOr<SmallVector<Group>> run() {
    if (!parts.empty())
      addParts(body, parts);
    for (Operation &op : body.without_terminator()) {
      if (failed(checkReady(&op)))
        return failure();
      position[&op] = position.size();
      slots[&op] = order.size();
      order.push_back(&op);
      bool stored = llvm::any_of(op.getUsers(), needsMemory);
      if (isReadThrough(&op) || (ein::isFree(op.getResult(0)) && !stored))
        continue;
      kept.insert(&op);
    }
    for (Operation *op : kept)
      if (isChain(op))
        claimColumn(op);
      else if (Operation *maker = fusion ? claimedBy(op) : nullptr; maker && !owner.contains(maker))
        claim(KernelKind::scatter, {maker, op});
    for (Operation *op : kept)
      if (!owner.contains(op))
        place(op);
    return sorted();
  }

private:
  // A group while it may still be merged.
  struct Working {
    KernelKind kind;
    Equations equations; // empty: merged into another
  };

  // Starts a group.
  void open(KernelKind kind, Equations equations) {
    for (Operation *op : equations)
      owner[op] = groups.size();
    groups.push_back({kind, std::move(equations)});
  }

  void sortEquations(Equations &equations) {
    llvm::sort(equations, [&](Operation *a, Operation *b) { return position.lookup(a) < position.lookup(b); });
  }

  // Makes a group of an equation (the last) and of equations that only it reads, which can therefore run as late as it
  // does.
  void claim(KernelKind kind, const Equations &equations) {
    for (Operation *op : ArrayRef(equations).drop_back())
      order[slots.lookup(op)] = nullptr;
    order[slots.lookup(equations.back())] = equations.front();
    slots[equations.front()] = slots.lookup(equations.back());
    open(kind, equations);
  }

  // A column reduction takes the maps and gathers that only its group reads, nearest first; a gather's table stays
  // outside, since it is needed whole.
  void claimColumn(Operation *reduce) {
    Equations claimed = {reduce};
    for (unsigned next = 0; fusion && next < claimed.size(); ++next)
      for (Value operand : claimed[next]->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        // Only makers that no other group or reader needs, and nothing behind a gather's table.
        if (!maker || !kept.contains(maker) || owner.contains(maker) || llvm::is_contained(claimed, maker) ||
            !isa<ein::MapOp, ein::CastOp, ein::GatherOp>(maker) || isa<ein::GatherOp>(claimed[next]) ||
            !llvm::all_of(maker->getUsers(), [&](Operation *user) { return llvm::is_contained(claimed, user); }))
          continue;
        Equations wider = claimed;
        wider.push_back(maker);
        sortEquations(wider);
        // Taken only while all claimed equations still have one domain.
        if (ein::unifyDomains(wider))
          claimed.push_back(maker);
      }
    sortEquations(claimed);
    claim(KernelKind::columns, claimed);
  }

  // Puts an equation in a group: all groups that it reads together, else the latest of them that it can join, else a
  // new one.
  void place(Operation *op) {
    if (isa<ein::LoopOp>(op))
      return open(KernelKind::loop, {op});
    if (isa<ein::ContractOp>(op))
      return open(KernelKind::contract, {op});
    if (isa<ein::ScatterAddOp, ein::PutOp>(op))
      return open(KernelKind::scatter, {op});
    if (isa<ein::InsertSliceOp>(op))
      return open(KernelKind::insert_slice, {op});
    if (isa<ein::IotaOp, ein::ConstantOp>(op))
      return open(KernelKind::elementwise, {op});
    llvm::SmallSetVector<unsigned, 4> makers;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        if (auto found = owner.find(maker); found != owner.end())
          if (KernelKind kind = groups[found->second].kind; kind == KernelKind::rows || kind == KernelKind::elementwise)
            makers.insert(found->second);
    if (!fusion)
      makers.clear();
    // Joining all at once may work where one alone would make a cycle through the others.
    if (makers.size() > 1 && join(op, makers.getArrayRef()))
      return;
    SmallVector<unsigned> latest(makers.begin(), makers.end());
    // The latest group first: it is nearest, so fewest kernels lie between.
    llvm::sort(latest, std::greater<>());
    for (unsigned group : latest)
      if (join(op, group))
        return;
    open(isa<ein::ReduceOp>(op) ? KernelKind::rows : KernelKind::elementwise, {op});
  }

  // Whether equations of different shards would be in one group.
  bool mixesParts(const Equations &all) {
    std::optional<int64_t> first;
    for (Operation *op : all)
      if (auto found = parts.find(op->getResult(0)); found != parts.end())
        if (std::exchange(first, found->second).value_or(found->second) != found->second)
          return true;
    return false;
  }

  // Merges the equation and whole groups into one, if they have a common domain and no other group must run between
  // them. Returns false, with a remark, if not.
  bool join(Operation *op, ArrayRef<unsigned> members) {
    Equations all = {op};
    for (unsigned group : members)
      llvm::append_range(all, groups[group].equations);
    sortEquations(all);
    if (mixesParts(all))
      return refuse(op, all, "they are computed from different parts of parameters");
    std::optional<ein::IterationSpace> alignment = ein::unifyDomains(all);
    if (!alignment)
      return refuse(op, all, "their domains have no rows in common");
    if (hasStridedRows(*alignment, all))
      return refuse(op, all, "their common rows would be strided");
    std::optional<Between> between = walkBetween(all);
    if (!between)
      return refuse(op, all, "another kernel would have to run between them");
    moveTogether(all, *between);
    // The smallest number stays, so numbers do not depend on the order of members.
    unsigned target = *llvm::min_element(members);
    for (unsigned group : members)
      groups[group].equations.clear();
    for (Operation *equation : all)
      owner[equation] = target;
    // The equation that joins may turn an elementwise kernel into one of rows.
    bool rows = llvm::any_of(
        all, [&](Operation *equation) { return isa<ein::ReduceOp>(equation) || alignment->isPerRow(equation); });
    groups[target] = {rows ? KernelKind::rows : KernelKind::elementwise, all};
    return true;
  }

  // Whether no equation writes its rows along its last axis. `m[b, t]`, read by a select over `x[b, h, s, t]`, would
  // make rows of each (b, t), in steps of whole (h, s). Reductions name their inner dimensions themselves.
  static bool hasStridedRows(const ein::IterationSpace &space, const Equations &all) {
    bool any = false;
    for (Operation *equation : all) {
      AffineMap result = ein::iterationOf(equation).result;
      if (isa<ein::ReduceOp>(equation))
        return false;
      if (space.isPerRow(equation) || result.getNumResults() == 0)
        continue;
      any = true;
      int last = ein::dimOf(result, result.getNumResults() - 1);
      if (space.dims.lookup(equation)[last] >= space.outer)
        return false;
    }
    return any;
  }

  // Reports a fusion that is not possible; the equation joins fewer groups, or starts one.
  bool refuse(Operation *op, const Equations &all, StringRef why) {
    LDBG() << *op << " with " << all.size() - 1 << " others: " << why;
    remark::missed(op->getLoc(), remark::RemarkOpts::name("NotFused").category(DEBUG_TYPE))
        << remark::add("not fused with {0} equations that it reads: {1}", all.size() - 1, why);
    return false;
  }

  Equations together(Operation *op) {
    auto found = owner.find(op);
    return found == owner.end() ? Equations{op} : groups[found->second].equations;
  }

  // The node of an operation, by its first equation: its group, or itself.
  Operation *nodeOf(Operation *op) {
    auto found = owner.find(op);
    return found == owner.end() ? op : groups[found->second].equations.front();
  }

  // The nodes between the equations of a set, in the order of nodes: after the first and before the last.
  struct Between {
    unsigned first, last;                       // slots in `order`
    llvm::SmallPtrSet<Operation *, 16> reached; // nodes on a path from the set
  };

  // Finds the nodes that paths from the set reach; nullopt if a path returns to the set. Only nodes between the first
  // and the last of the set can be on such a path, so a body of n equations takes n short searches.
  std::optional<Between> walkBetween(const Equations &all) {
    llvm::SmallPtrSet<Operation *, 16> inside(all.begin(), all.end());
    Between between{UINT_MAX, 0, {}};
    for (Operation *op : all) {
      between.first = std::min(between.first, slots.lookup(nodeOf(op)));
      between.last = std::max(between.last, slots.lookup(nodeOf(op)));
    }
    Equations work;
    // From the set itself, readers inside are no path; from any other node they close a cycle.
    auto follow = [&](Operation *from, bool leaves) {
      for (Operation *user : from->getUsers()) {
        if (!kept.contains(user) && !isReadThrough(user))
          continue;
        if (inside.contains(user)) {
          if (!leaves)
            return false;
          continue;
        }
        Operation *node = nodeOf(user);
        if (slots.lookup(node) < between.last && between.reached.insert(node).second)
          work.push_back(node);
      }
      return true;
    };
    for (Operation *op : all)
      follow(op, true);
    while (!work.empty())
      for (Operation *member : together(work.pop_back_val()))
        if (!follow(member, false))
          return std::nullopt;
    return between;
  }

  // Keeps the order of nodes topological when a set becomes one node: nodes that it reaches go behind it, all others
  // between stay before it (Pearce and Kelly, "A dynamic topological sort algorithm", 2006).
  void moveTogether(const Equations &all, const Between &between) {
    llvm::SmallPtrSet<Operation *, 16> inside(all.begin(), all.end());
    Equations before, behind;
    for (unsigned slot = between.first; slot <= between.last; ++slot)
      if (Operation *node = std::exchange(order[slot], nullptr); node && !inside.contains(node))
        (between.reached.contains(node) ? behind : before).push_back(node);
    unsigned slot = between.first;
    for (Operation *node : llvm::concat<Operation *const>(before, ArrayRef(all.front()), behind)) {
      slots[node] = slot;
      order[slot++] = node;
    }
  }

  // Orders the groups by Kahn's algorithm ("Topological sorting of large networks", 1962): of all groups that can run,
  // the one whose first equation comes first in the program.
  SmallVector<Group> sorted() {
    SmallVector<Group> result;
    llvm::SmallDenseSet<unsigned> done;
    auto ready = [&](const Working &group, unsigned index) {
      for (Operation *op : group.equations)
        for (Value operand : op->getOperands())
          for (Value read : readBehind(operand))
            if (Operation *maker = read.getDefiningOp(); maker && kept.contains(maker))
              if (unsigned other = owner.lookup(maker); other != index && !done.contains(other))
                return false;
      return true;
    };
    SmallVector<unsigned> open;
    for (unsigned i = 0; i < groups.size(); ++i)
      if (!groups[i].equations.empty())
        open.push_back(i);
    llvm::sort(open, [&](unsigned a, unsigned b) {
      return position.lookup(groups[a].equations.front()) < position.lookup(groups[b].equations.front());
    });
    while (!open.empty()) {
      auto next = llvm::find_if(open, [&](unsigned index) { return ready(groups[index], index); });
      assert(next != open.end() && "groups need each other");
      done.insert(*next);
      result.push_back({groups[*next].kind, groups[*next].equations});
      if (size_t count = result.back().equations.size(); count > 1)
        remark::passed(result.back().equations.back()->getLoc(), remark::RemarkOpts::name("Fused").category(DEBUG_TYPE))
            << remark::add("fused {0} equations in a kernel of kind {1}", count,
                           plan::stringifyKernelKind(result.back().kind));
      if (Operation *last = result.back().equations.back(); llvm::all_of(result.back().equations, isRounding))
        remark::missed(last->getLoc(), remark::RemarkOpts::name("RoundedAlone").category(DEBUG_TYPE))
            << remark::add("rounded to {0} in a kernel of its own: what makes the values is no elementwise equation",
                           debugString(cast<RankedTensorType>(last->getResult(0).getType()).getElementType()));
      open.erase(next);
    }
    return result;
  }

  // Whether an equation only rounds to a storage type.
  static bool isRounding(Operation *op) {
    auto cast = dyn_cast<ein::CastOp>(op);
    return cast && ein::isNarrow(cast.getType()) && !ein::isNarrow(cast.getInput().getType());
  }

  Block &body;
  bool fusion;
  PartOfValue parts;
  llvm::SetVector<Operation *> kept;
  DenseMap<Operation *, unsigned> position, owner;
  SmallVector<Working> groups;
  Equations order;                       // nodes in a topological order, with gaps
  DenseMap<Operation *, unsigned> slots; // index of each node in `order`
};

} // namespace

bool plc::kernels::isReadThrough(Operation *op) { return ein::isView(op) || ein::isReadInPlace(op); }

SmallVector<Value, 2> plc::kernels::readBehind(Value value) {
  Value shown = ein::viewed(value);
  if (!ein::isReadInPlace(shown.getDefiningOp()))
    return {shown};
  SmallVector<Value, 2> read;
  for (Value operand : shown.getDefiningOp()->getOperands())
    llvm::append_range(read, readBehind(operand));
  return read;
}

FailureOr<SmallVector<Group>> plc::kernels::groupEquations(Block &body, bool fusion, const PartOfValue &parts) {
  return Grouper(body, fusion, parts).run();
}
