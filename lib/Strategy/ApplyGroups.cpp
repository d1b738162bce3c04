//===- ApplyGroups.cpp - groups of parameters on a model ------------------===//
#include "plc/Strategy/ApplyGroups.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Module/ParameterGroups.h"
#include "plc/Support/Errors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

namespace ein = plc::ein;
namespace module = plc::module;

std::vector<module::GroupedParameter> plc::strategy::parametersOf(mlir::ModuleOp model) {
  std::vector<module::GroupedParameter> parameters;
  for (auto param : model.getOps<ein::ParamOp>())
    if (std::string path = param.getWhole().str(); parameters.empty() || parameters.back().path != path)
      parameters.push_back(
          {path, param.getShardType().getRank(), int64_t(param.getRows().value_or(0)), param.getFrozen()});
  return parameters;
}

/// The number of first axes on one side of a contraction's weight: they are summed and the others not, or the others
/// are summed and they are not. 0 if the axes do not part so.
static int64_t rowsIn(ein::ContractOp contract, mlir::AffineMap weight) {
  mlir::AffineMap result = llvm::cast<mlir::AffineMapAttr>(contract.getMaps().getValue().back()).getValue();
  auto isSummed = [&](unsigned axis) { return !llvm::is_contained(result.getResults(), weight.getResult(axis)); };
  unsigned rows = 1, axes = weight.getNumResults();
  while (rows < axes && isSummed(rows) == isSummed(0))
    ++rows;
  for (unsigned axis = rows; axis < axes; ++axis)
    if (isSummed(axis) == isSummed(0))
      return 0;
  return rows == axes ? 0 : rows;
}

/// What the uses of an argument of a function say; 0 if they say nothing, or different things.
static int64_t rowsOf(mlir::Value argument, const mlir::SymbolTable &symbols) {
  llvm::SmallSet<int64_t, 2> found;
  for (mlir::OpOperand &use : argument.getUses()) {
    if (auto contract = llvm::dyn_cast<ein::ContractOp>(use.getOwner()))
      if (use.getOperandNumber() < contract.getInputs().size())
        found.insert(
            rowsIn(contract, llvm::cast<mlir::AffineMapAttr>(contract.getMaps()[use.getOperandNumber()]).getValue()));
    if (auto call = llvm::dyn_cast<ein::CallOp>(use.getOwner()))
      if (auto callee = symbols.lookup<ein::FuncOp>(call.getCallee()))
        found.insert(rowsOf(callee.getArgument(use.getOperandNumber()), symbols));
  }
  return found.size() == 1 ? *found.begin() : 0;
}

/// Notes which axes of parameters are the rows of matrices, by the contractions that read them.
static void findMatrices(mlir::ModuleOp model) {
  mlir::SymbolTable symbols(model);
  llvm::MapVector<mlir::Attribute, llvm::SmallSet<int64_t, 2>> found; // by parameter
  model.walk([&](ein::CallOp call) {
    auto callee = symbols.lookup<ein::FuncOp>(call.getCallee());
    for (auto [index, name] : llvm::enumerate(call.getParams().getAsRange<mlir::FlatSymbolRefAttr>()))
      found[name.getAttr()].insert(rowsOf(callee.getArgument(call.getArgs().size() + index), symbols));
  });
  for (auto &[name, rows] : found) {
    auto param = symbols.lookup<ein::ParamOp>(llvm::cast<mlir::StringAttr>(name));
    bool isMatrix = rows.size() == 1 && *rows.begin();
    // The contractions of a slice say nothing about the whole.
    if (isMatrix && !param.getSlice() && llvm::cast<mlir::RankedTensorType>(param.getType()).getRank() > 2)
      param.setRows(*rows.begin());
  }
}

mlir::LogicalResult plc::strategy::applyGroups(mlir::ModuleOp model, const module::OptimizerSettings &settings,
                                               bool isDifferentiated, bool isTrained) {
  auto isElementwise = [](const module::OptimizerForm &form) { return form.isElementwise(); };
  if (!isDifferentiated && !llvm::all_of(settings.forms, isElementwise))
    findMatrices(model);
  const std::vector<module::GroupedParameter> parameters = parametersOf(model);
  module::ParameterGroups groups(settings, parameters);
  std::optional<module::SettingConflict> conflict = groups.findConflict();
  if (!conflict && isTrained)
    conflict = groups.findUntaken(parameters);
  if (conflict)
    return emitKeyError(model, conflict->path.c_str(), conflict->text);
  for (auto param : model.getOps<ein::ParamOp>()) {
    int64_t group = groups.groupOf(param.getWhole().str());
    if (group < 0 || !settings.groups[group].frozen || param.getFrozen())
      continue;
    if (isDifferentiated) {
      std::string key = module::groupKey(group, module::frozenName);
      return emitKeyError(param, key.c_str(), "parameter '")
             << param.getWhole() << "' has a gradient in this IR, so it cannot be frozen";
    }
    param.setFrozen(true);
  }
  return mlir::success();
}
