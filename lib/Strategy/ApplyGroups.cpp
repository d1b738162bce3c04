//===- ApplyGroups.cpp - groups of parameters on a model ------------------===//
#include "plc/Strategy/ApplyGroups.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Module/ParameterGroups.h"
#include "plc/Support/Errors.h"

namespace ein = plc::ein;
namespace module = plc::module;

mlir::LogicalResult plc::strategy::applyGroups(mlir::ModuleOp model, const module::OptimizerSettings &settings,
                                               bool isDifferentiated) {
  std::vector<module::GroupedParameter> parameters;
  for (auto param : model.getOps<ein::ParamOp>())
    if (std::string path = param.getWhole().str(); parameters.empty() || parameters.back().path != path)
      parameters.push_back({path, llvm::cast<mlir::RankedTensorType>(param.getType()).getRank()});
  module::ParameterGroups groups(settings, parameters);
  if (std::optional<module::SettingConflict> conflict = groups.findConflict())
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
