//===- GatherShards.cpp - one owner for all shards of a parameter ---------===//
#include "GatherShards.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

GatheredShards::GatheredShards(ModuleOp module) {
  llvm::MapVector<StringRef, SmallVector<StringRef>> shards; // by whole
  for (auto param : module.getOps<ein::ParamOp>())
    if (param.getShard() && param.getWorkspace())
      shards[param.getWhole()].push_back(param.getSymName());
  for (auto [number, whole] : llvm::enumerate(shards))
    for (StringRef shard : whole.second)
      homes[shard] = whole.second[number % whole.second.size()];
}

void plc::plan::gatherShards(ProgramOp program) {
  GatheredShards shards(program->getParentOfType<ModuleOp>());
  if (shards.empty())
    return;
  llvm::StringSet<> trained;
  program.walk([&](SiteOp site) { trained.insert(site.getParam()); });
  llvm::StringMap<ParamOp> owners;
  program.walk([&](ParamOp param) {
    if (param.getOwned())
      owners[param.getParam()] = param;
  });
  program.walk([&](ParamOp param) {
    StringRef home = shards.homeOf(param.getParam());
    if (home.empty() || !param.getOwned() || owners.lookup(param.getParam()) != param)
      return;
    ParamOp at = owners.lookup(home);
    if (!trained.contains(param.getParam()) || !at || at == param)
      return;
    auto stage = cast<StageOp>(at->getParentOp());
    if (stage.getRank() == cast<StageOp>(param->getParentOp()).getRank())
      return;
    param.setOwned(false);
    auto handles = stage.getBody().getOps<ParamOp>();
    auto known = llvm::find_if(handles, [&](ParamOp each) { return each.getParam() == param.getParam(); });
    ParamOp copy = known != handles.end() ? *known : ParamOp();
    if (!copy) {
      OpBuilder builder(at);
      copy = cast<ParamOp>(builder.clone(*param));
    }
    copy.setOwned(true);
  });
}
