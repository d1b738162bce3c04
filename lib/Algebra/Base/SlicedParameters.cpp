//===- SlicedParameters.cpp - parameters that are read slice by slice -----===//
#include "plc/Algebra/Base/SlicedParameters.h"
#include "Equations.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

std::optional<int64_t> plc::algebra::constantPosition(ein::GatherOp gather, int64_t axis) {
  Dims dims = inputOf(gather, 0).dims;
  if (dims[axis] >= 0 || llvm::count(dims, dims[axis]) > 1)
    return std::nullopt;
  auto constant = gather.getIndices()[-1 - dims[axis]].getDefiningOp<ein::ConstantOp>();
  if (!constant)
    return std::nullopt;
  double number = constant.getValue().convertToDouble();
  bool isInside = number >= 0 && number < double(shapeOf(gather.getTable())[axis]);
  return isInside ? std::optional(int64_t(number)) : std::nullopt;
}

namespace {

// A parameter of a body, by its callee and its number among the parameters.
using Argument = std::pair<StringAttr, unsigned>;

// The first axis of a body's parameter that is only read at constant positions, all of which are read. So there are at
// most as many slices as reads in the text, and none that the body leaves out.
std::optional<int64_t> slicedAxis(BlockArgument argument) {
  ArrayRef<int64_t> shape = shapeOf(argument);
  for (int64_t axis = 0, rank = shape.size(); rank > 1 && axis < rank; ++axis) {
    llvm::SmallDenseSet<int64_t> read;
    bool isSliced = llvm::all_of(argument.getUses(), [&](OpOperand &use) {
      auto gather = dyn_cast<ein::GatherOp>(use.getOwner());
      std::optional<int64_t> position =
          gather && use.getOperandNumber() == 0 ? constantPosition(gather, axis) : std::nullopt;
      return position && (read.insert(*position), true);
    });
    if (isSliced && int64_t(read.size()) == shape[axis])
      return axis;
  }
  return std::nullopt;
}

} // namespace

bool plc::algebra::isDivided(ein::ParamOp param, ArrayRef<std::string> divided) {
  return param.getSizes() && llvm::any_of(param.getSizes()->getAsValueRange<StringAttr>(), [&](StringRef size) {
           return llvm::any_of(divided, [&](StringRef each) { return each.split('=').first == size; });
         });
}

// All parameters that one argument stands for are sliced, or none: calls of a body share its signature. All arguments
// that a parameter is given for are, too. So each that is not takes others with it, until nothing changes.
DenseMap<StringAttr, int64_t> plc::algebra::slicedParameters(ModuleOp module, ArrayRef<std::string> divided) {
  SymbolTable symbols(module);
  llvm::MapVector<Argument, SmallVector<StringAttr>> bound;
  module.walk([&](ein::CallOp call) {
    for (auto [number, name] : llvm::enumerate(call.getParams().getAsRange<FlatSymbolRefAttr>()))
      bound[{call.getCalleeAttr().getAttr(), unsigned(number)}].push_back(name.getAttr());
  });
  DenseMap<StringAttr, int64_t> axes;
  llvm::SmallDenseSet<StringAttr> whole;
  for (auto &[argument, names] : bound) {
    auto body = symbols.lookup<ein::FuncOp>(argument.first);
    std::optional<int64_t> axis = slicedAxis(body.getArgument(body.getNumData() + argument.second));
    for (StringAttr name : names) {
      auto param = symbols.lookup<ein::ParamOp>(name);
      if (!axis || param.getShard() || isDivided(param, divided) ||
          axes.try_emplace(name, *axis).first->second != *axis)
        whole.insert(name);
    }
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (auto &[argument, names] : bound)
      if (llvm::any_of(names, [&](StringAttr name) { return whole.contains(name); }))
        for (StringAttr name : names)
          changes |= whole.insert(name).second;
  }
  for (StringAttr name : whole)
    axes.erase(name);
  return axes;
}
