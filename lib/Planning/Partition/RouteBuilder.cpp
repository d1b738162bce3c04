//===- RouteBuilder.cpp - declares routes and their ends ------------------===//
#include "RouteBuilder.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/Format.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

RouteBuilder::RouteBuilder(ProgramOp program, StringRef pass)
    : program(program), pass(pass), builder(program.getContext()) {
  llvm::append_range(stages, program.getBody().getOps<StageOp>());
  count = llvm::range_size(program.getBody().getOps<RouteOp>());
}

RouteOp RouteBuilder::declare(StageOp source, StageOp destination, Per per, const std::string &carries, Type type,
                              int64_t groups) {
  // For the remark only: stages in between hold nothing of the value.
  int64_t apart = llvm::find(stages, source) - llvm::find(stages, destination);
  remark::passed(program.getLoc(), remark::RemarkOpts::name("Routed").category(pass).function(program.getSymName()))
      << remark::add("{0} to {1}, past {2} stages: '{3}', {4} per {5}", source.getSymName(), destination.getSymName(),
                     std::abs(apart) - 1, carries, planner::formatBytes(groups * byteSize(type)), stringifyPer(per));
  // Routes stand before the ranks, whether those exist already or not.
  auto ranks = program.getBody().getOps<RankOp>();
  if (ranks.empty())
    builder.setInsertionPointToEnd(&program.getBody().front());
  else
    builder.setInsertionPoint(*ranks.begin());
  return RouteOp::create(builder, program.getLoc(), builder.getStringAttr("r" + Twine(count++)), nullptr,
                         FlatSymbolRefAttr::get(source.getSymNameAttr()),
                         FlatSymbolRefAttr::get(destination.getSymNameAttr()), PerAttr::get(builder.getContext(), per),
                         builder.getStringAttr(carries), TypeAttr::get(type), builder.getI64IntegerAttr(groups));
}

PopOp RouteBuilder::connect(RouteOp route, StageOp source, StageOp destination, Value value, Value into) {
  builder.setInsertionPoint(source.getBody().front().getTerminator());
  StashOp::create(builder, value.getLoc(), route.getSymName(), value);
  Block &block = destination.getBody().front();
  // Handles stand first in a stage, then its tasks.
  auto end = llvm::find_if(block, [](Operation &op) { return !isa<ParamOp, SiteOp, InputOp, PopOp>(op); });
  builder.setInsertionPoint(&block, end);
  return PopOp::create(builder, value.getLoc(), value.getType(), route.getSymName(), into);
}

// A handle of the site in another stage, made there if it has none: the buffer in which the gradient arrives.
Value RouteBuilder::siteIn(StageOp stage, SiteOp like) {
  for (auto site : stage.getBody().getOps<SiteOp>())
    if (site.getParam() == like.getParam() && site.getIndex() == like.getIndex() && site.getGroup() == like.getGroup())
      return site;
  builder.setInsertionPointToStart(&stage.getBody().front());
  return SiteOp::create(builder, like.getLoc(), like.getType(), like.getParam(), like.getIndex(), like.getGroup(),
                        like.getGroups());
}

void RouteBuilder::routeParameters() {
  // A parameter without a site is constant: all copies keep their first value, and need no route.
  llvm::MapVector<StringRef, std::pair<StageOp, ParamOp>> owners;
  llvm::StringSet<> trained;
  for (StageOp stage : stages)
    for (auto site : stage.getBody().getOps<SiteOp>())
      trained.insert(site.getParam());
  for (StageOp stage : stages)
    for (auto param : stage.getBody().getOps<ParamOp>())
      if (param.getOwned())
        owners[param.getParam()] = {stage, param};
  // Gradients first: each stage on another rank sends its sums to the owner.
  for (StageOp stage : stages) {
    // `connect` adds sites while this iterates, hence the copy of the list.
    for (auto site : llvm::to_vector(stage.getBody().getOps<SiteOp>())) {
      StageOp owner = owners.lookup(site.getParam()).first;
      if (!owner || owner.getRank() == stage.getRank())
        continue;
      std::string carries = "gradient of " + site.getParam().str() + ", site " + std::to_string(site.getIndex());
      RouteOp route = declare(stage, owner, Per::step, carries, site.getType(), site.getGroups());
      connect(route, stage, owner, site, siteIn(owner, site));
    }
  }
  // One message per rank, because stages of a rank share one buffer of a parameter.
  DenseSet<std::pair<int64_t, StringRef>> sent;
  for (StageOp stage : stages)
    for (auto param : llvm::to_vector(stage.getBody().getOps<ParamOp>())) {
      auto [owner, original] = owners.lookup(param.getParam());
      if (!owner || owner.getRank() == stage.getRank() || !trained.contains(param.getParam()) ||
          !sent.insert({stage.getRank(), param.getParam()}).second)
        continue;
      RouteOp route = declare(owner, stage, Per::step, param.getParam().str(), param.getType());
      connect(route, owner, stage, original, param);
    }
}
