//===- ChooseLayouts.cpp - the order of axes inside a body ----------------===//
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/DenseSet.h"

#define DEBUG_TYPE "ein-order-contractions"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Orders the axes of values in one pass over a block. Each result takes the order of what it is computed from, so that
// code generation can merge axes to the rows, columns and depth of one strided matrix product. Values that another
// operation reads in their own order (calls, views, results of the body) are pinned.
class Layouts {
public:
  // Backward, since a cast is pinned by the readers of its result.
  explicit Layouts(Block &block) : block(block) {
    for (Operation &op : llvm::reverse(block))
      for (Value operand : op.getOperands())
        if (isPinnedBy(&op))
          pinned.insert(operand);
  }

  // Forward, since a result's order follows from its inputs' orders.
  void choose() {
    for (Operation &op : block.without_terminator()) {
      if (isa<ein::CastOp, ein::StopOp>(op))
        follow(&op);
      else if (isa<ein::ContractOp, ein::MapOp, ein::ReduceOp>(op) && !pinned.contains(op.getResult(0)))
        permute(&op, orderOf(cast<ein::Equation>(op)));
      else if (auto gather = dyn_cast<ein::GatherOp>(op); gather && !pinned.contains(gather))
        permute(&op, rowsLast(gather));
      if (auto equation = dyn_cast<ein::Equation>(op))
        normalizeDomain(equation);
    }
  }

private:
  // Whether an operation reads its operands in their own order. Equations do not: their maps follow.
  bool isPinnedBy(Operation *op) const {
    if (isa<ein::Equation>(op))
      return false;
    return !isa<ein::CastOp, ein::StopOp>(op) || pinned.contains(op->getResult(0));
  }

  // The axes of a result in the order in which the inputs have them: those of the first input, then of the second. A
  // map takes the order of its widest input.
  SmallVector<int64_t> orderOf(ein::Equation op) const {
    Dims result = resultOf(op).dims, wanted;
    SmallVector<Access> inputs = inputsOf(op);
    // Windows read the result of a convolution again and would undo another order.
    if (isa<ein::ContractOp>(op) && llvm::any_of(inputs, readsWindows))
      return {};
    if (isa<ein::MapOp>(op)) {
      // A mask, which is recomputed, never decides against a stored value of equal width.
      auto width = [](const Access &input) {
        return std::pair(distinct(input.dims).size(), !ein::isFree(input.value));
      };
      auto widest = std::max_element(inputs.begin(), inputs.end(),
                                     [&](const Access &a, const Access &b) { return width(a) < width(b); });
      std::rotate(inputs.begin(), widest, std::next(widest));
    }
    if (isa<ein::ContractOp>(op) && inputs.size() == 2)
      // Either factor may have the columns in front of it.
      for (auto [x, w] : {std::pair(0, 1), std::pair(1, 0)})
        if (wanted.empty())
          wanted = columnsLast(inputs[x].dims, inputs[w].dims, result, op.getExtents());
    for (const Access &input : inputs)
      llvm::append_range(wanted, input.dims);
    llvm::append_range(wanted, result);
    SmallVector<int64_t> order;
    for (int64_t dim : distinct(wanted))
      if (auto it = llvm::find(result, dim); it != result.end())
        order.push_back(it - result.begin());
    return order;
  }

  // The order of a gather's result: as it is, but with the table's contiguous axis last. So rows are read as rows.
  static SmallVector<int64_t> rowsLast(ein::Equation gather) {
    Access table = inputOf(gather, 0), result = resultOf(gather);
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(result.dims.size()));
    int64_t column = table.dims.empty() ? -1 : table.dims.back();
    bool isRow = column >= 0 && llvm::none_of(llvm::drop_begin(llvm::seq<unsigned>(gather.getInputs().size())),
                                              [&](unsigned i) { return contains(inputOf(gather, i).dims, column); });
    if (isRow)
      std::stable_partition(order.begin(), order.end(), [&](int64_t axis) { return result.dims[axis] != column; });
    return order;
  }

  // The order b, o, i for x[b.., c.., i..] times w[o.., c..], summed over c, as in a 1 x 1 convolution. Columns i stay
  // last, as x has them, if they fill a tile. Moving them before o would be one pass over memory, and moving them back
  // another. Empty for other products.
  static Dims columnsLast(Dims x, ArrayRef<int64_t> w, ArrayRef<int64_t> result, ArrayRef<int64_t> extents) {
    // SIMD lanes of the widest register tile. Fewer columns leave it partly empty in any order.
    constexpr int64_t tile = 64; // lanes of the widest tile
    auto isKept = [&](int64_t dim) { return contains(result, dim); };
    // A summed window of extent 1 makes no step in memory.
    llvm::erase_if(x, [&](int64_t dim) { return !isKept(dim) && extents[dim] == 1; });
    ArrayRef<int64_t> rows = ArrayRef(x).take_while(isKept), rest = ArrayRef(x).drop_front(rows.size());
    ArrayRef<int64_t> columns = rest.drop_while([&](int64_t dim) { return !isKept(dim); });
    int64_t width = 1;
    for (int64_t dim : columns)
      width *= extents[dim];
    if (rows.empty() || columns.size() == rest.size() || width < tile || !llvm::all_of(columns, isKept))
      return {};
    Dims order(rows);
    for (int64_t dim : w)
      if (isKept(dim)) {
        if (contains(x, dim))
          return {};
        order.push_back(dim);
      }
    llvm::append_range(order, columns);
    return order;
  }

  // Whether a factor is a window, possibly behind other views.
  static bool readsWindows(const Access &input) {
    for (Value value = input.value; ein::isView(value.getDefiningOp()); value = value.getDefiningOp()->getOperand(0))
      if (value.getDefiningOp<ein::WindowOp>())
        return true;
    return false;
  }

  // Changes the order of a result's axes in its type, its own map and the maps of its readers.
  void permute(Operation *op, ArrayRef<int64_t> order) {
    if (llvm::is_sorted(order))
      return;
    Value value = op->getResult(0);
    remark::passed(op->getLoc(), remark::RemarkOpts::name("Permuted").category(DEBUG_TYPE)) << remark::add(
        "axes {0:$[, ]} in this order, as in what it is computed from", llvm::make_range(order.begin(), order.end()));
    orders[value] = SmallVector<int64_t>(order);
    value.setType(permuted(cast<RankedTensorType>(value.getType()), order));
    if (auto equation = dyn_cast<ein::Equation>(op))
      permuteMap(equation, equation.getMaps().size() - 1, order);
    for (OpOperand &use : value.getUses())
      if (auto equation = dyn_cast<ein::Equation>(use.getOwner()))
        permuteMap(equation, use.getOperandNumber(), order);
  }

  // A cast has the layout of its input.
  void follow(Operation *op) {
    auto it = orders.find(op->getOperand(0));
    if (it != orders.end())
      permute(op, SmallVector<int64_t>(it->second));
  }

  void permuteMap(ein::Equation op, unsigned index, ArrayRef<int64_t> order) {
    AffineMap map = op.getInputMap(index);
    SmallVector<AffineExpr> exprs;
    for (int64_t axis : order)
      exprs.push_back(map.getResult(axis));
    op.setMap(index, AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs, map.getContext()));
  }

  Block &block;
  llvm::DenseSet<Value> pinned;
  llvm::DenseMap<Value, SmallVector<int64_t>> orders;
};

} // namespace

void algebra::chooseLayouts(Block &block) {
  for (auto loop : block.getOps<ein::LoopOp>())
    chooseLayouts(loop.getIteration());
  Layouts(block).choose();
}
