//===- EinOrderLines.cpp - an order of lines that follows from the graph --===//
#include "Base/Bodies.h"
#include "plc/Algebra/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINORDERLINES
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

using Numbers = std::vector<size_t>;

// Visits the nodes that `first` leads to, each after its children. Iterative, because a chain may be long.
void visitBehindChildren(size_t first, ArrayRef<Numbers> children, std::vector<bool> &seen,
                         llvm::function_ref<void(size_t)> visit) {
  if (seen[first])
    return;
  seen[first] = true;
  std::vector<std::pair<size_t, size_t>> stack{{first, 0}}; // a node, and its next child
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next == children[node].size()) {
      visit(node);
      stack.pop_back();
      continue;
    }
    size_t child = children[node][next++];
    if (!seen[child]) {
      seen[child] = true;
      stack.emplace_back(child, 0);
    }
  }
}

/// The lines of a model: calls and equations, in the order of the text. `order` sorts them by the graph alone
/// (Ein/Rationale.md, "The order of a model's lines follows from the graph"; after Sethi and Ullman, The Generation of
/// Optimal Code for Arithmetic Expressions, 1970).
class Lines {
public:
  explicit Lines(Block &block) : end(&block.back()) {
    for (Operation &op : block.without_terminator()) {
      numberOf[&op] = ops.size();
      ops.push_back(&op);
    }
    for (Operation *op : ops)
      depth.push_back(depthOf(op));
    for (Operation *op : ops)
      operands.push_back(makersOf(op));
    rankLines();
    gatherIterations();
  }

  /// Returns each line behind the lines that it reads, the longest chain first. Calls of one iteration of a `repeat`
  /// stay together, with the equations that only they read. An equation that frees as many bytes as it makes comes
  /// right after its operands: a sum over layers then takes each summand as it is made. Every other equation comes
  /// where it is needed.
  std::vector<Operation *> order() {
    std::vector<Numbers> children(ops.size());
    for (size_t item = 0; item < ops.size(); ++item)
      for (size_t line : members[item])
        for (size_t maker : operands[line])
          if (itemOf[maker] != item)
            children[item].push_back(itemOf[maker]);
    std::vector<bool> seen(ops.size());
    emitted.assign(ops.size(), false);
    for (size_t line : byRank)
      visitBehindChildren(itemOf[line], children, seen, [&](size_t item) { emit(item); });
    return result;
  }

private:
  // The most calls in a chain that ends at an operation, and the most lines in one.
  using Depth = std::pair<size_t, size_t>;

  Depth depthOf(Operation *op) const {
    Depth most;
    for (Value operand : op->getOperands())
      if (auto maker = numberOf.find(operand.getDefiningOp()); maker != numberOf.end()) {
        most.first = std::max(most.first, depth[maker->second].first);
        most.second = std::max(most.second, depth[maker->second].second + 1);
      }
    most.first += isa<ein::CallOp>(op);
    return most;
  }

  // The lines that make an operation's operands: the longest chain first, then in operand order.
  Numbers makersOf(Operation *op) const {
    Numbers makers;
    for (Value operand : op->getOperands())
      if (auto maker = numberOf.find(operand.getDefiningOp()); maker != numberOf.end())
        makers.push_back(maker->second);
    llvm::stable_sort(makers, [&](size_t a, size_t b) { return depth[a] > depth[b]; });
    return makers;
  }

  // Ranks lines by the graph alone, from the results back. Lines that no result needs come last.
  void rankLines() {
    rank.resize(ops.size());
    std::vector<bool> seen(ops.size());
    auto take = [&](size_t line) {
      rank[line] = byRank.size();
      byRank.push_back(line);
    };
    for (size_t line : makersOf(end))
      visitBehindChildren(line, operands, seen, take);
    for (size_t line = 0; line < ops.size(); ++line)
      visitBehindChildren(line, operands, seen, take);
  }

  // Groups lines into items: calls of one iteration with the equations between them are one item, every other line is
  // its own.
  void gatherIterations() {
    itemOf.resize(ops.size());
    size_t last = ops.size(); // the last call
    std::vector<bool> isIteration(ops.size());
    for (size_t line = 0; line < ops.size(); ++line) {
      itemOf[line] = line;
      auto call = dyn_cast<ein::CallOp>(ops[line]);
      if (!call)
        continue;
      // Consecutive calls of the same iteration, and the equations between them.
      if (last < line && call.getIteration() && cast<ein::CallOp>(ops[last]).getIteration() == call.getIteration())
        for (size_t between = last + 1; between <= line; ++between)
          itemOf[between] = itemOf[last];
      isIteration[itemOf[line]] = call.getIteration().has_value();
      last = line;
    }
    // Equations in front of an iteration that only it reads belong to it. Backward, so that chains of them follow.
    for (size_t line = ops.size(); line-- > 0;)
      if (isEquation(line) && itemOf[line] == line)
        if (std::optional<size_t> reader = onlyReader(line); reader && isIteration[*reader])
          itemOf[line] = *reader;
    members.resize(ops.size());
    for (size_t line : byRank)
      members[itemOf[line]].push_back(line);
  }

  bool isEquation(size_t line) const { return !isa<ein::CallOp>(ops[line]); }

  // The item that reads a line, if there is only one.
  std::optional<size_t> onlyReader(size_t line) const {
    std::optional<size_t> reader;
    for (Operation *user : ops[line]->getUsers()) {
      auto found = numberOf.find(user);
      if (found == numberOf.end() || (reader && *reader != itemOf[found->second]))
        return std::nullopt;
      reader = itemOf[found->second];
    }
    return reader;
  }

  // Emits an item, then the equations that can follow at once.
  void emit(size_t item) {
    if (emitted[item])
      return;
    emitted[item] = true;
    for (size_t line : members[item])
      for (size_t maker : operands[line])
        if (itemOf[maker] != item)
          emit(itemOf[maker]); // lines that read nothing
    Numbers ready;
    for (size_t line : members[item])
      result.push_back(ops[line]);
    for (size_t line : members[item])
      for (Operation *user : ops[line]->getUsers())
        if (auto found = numberOf.find(user); found != numberOf.end() && canFollow(found->second))
          ready.push_back(found->second);
    llvm::sort(ready, [&](size_t a, size_t b) { return rank[a] < rank[b]; });
    for (size_t line : ready)
      emit(itemOf[line]);
  }

  // Whether an equation is its own item, has its operands, and frees as many bytes as it makes. Constants and indices
  // count as present: they read nothing.
  bool canFollow(size_t line) const {
    auto isThere = [&](size_t maker) {
      return emitted[itemOf[maker]] || (isEquation(maker) && operands[maker].empty());
    };
    if (!isEquation(line) || members[itemOf[line]].size() > 1 || !llvm::all_of(operands[line], isThere))
      return false;
    int64_t bits = 0;
    for (Value result : ops[line]->getResults())
      bits += bitsOf(result);
    for (Value operand : llvm::SmallSetVector<Value, 4>(ops[line]->operand_begin(), ops[line]->operand_end()))
      bits -= isLastReader(line, operand) ? bitsOf(operand) : 0;
    return bits <= 0;
  }

  // Bits of a value. A real whose precision is not chosen yet counts as the widest one.
  static int64_t bitsOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    // A real whose precision is not chosen yet counts as the widest one.
    return type.getNumElements() * (type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64);
  }

  // Whether all other readers of a value are emitted. Arguments are never freed.
  bool isLastReader(size_t line, Value value) const {
    return numberOf.contains(value.getDefiningOp()) && llvm::all_of(value.getUsers(), [&](Operation *user) {
             auto found = numberOf.find(user);
             return found != numberOf.end() && (found->second == line || emitted[itemOf[found->second]]);
           });
  }

  Operation *end;
  std::vector<Operation *> ops;
  DenseMap<Operation *, size_t> numberOf;
  std::vector<Depth> depth;      // of each line
  std::vector<Numbers> operands; // of each line: the lines that make them
  Numbers rank, byRank;          // of each line, and the lines in that order
  Numbers itemOf;                // of each line: the line that stands for its item
  std::vector<Numbers> members;  // of each item, in order
  std::vector<bool> emitted;     // by item
  std::vector<Operation *> result;
};

struct EinOrderLines : algebra::impl::EinOrderLinesBase<EinOrderLines> {
  void runOnOperation() override {
    for (auto model : getOperation().getOps<ein::ModelOp>()) {
      Block &block = model.getBody().front();
      for (Operation *op : Lines(block).order())
        op->moveBefore(&block.back());
    }
  }
};

} // namespace
