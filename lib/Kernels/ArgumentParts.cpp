//===- ArgumentParts.cpp - shards that bodies read ------------------------===//
#include "ArgumentParts.h"

#include "plc/Dialect/Ein/Names.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace plc;
using namespace plc::kernels;

static constexpr int64_t none = -1;

// The index of a shard.
static int64_t numberOf(ein::ShardAttr shard) { return shard ? shard.getIndex() : none; }

static int64_t partOf(Value value, const PartOfValue &parts) {
  auto found = parts.find(value);
  return found == parts.end() ? none : found->second;
}

void kernels::addPart(Operation *op, PartOfValue &parts) {
  llvm::SmallDenseSet<int64_t> read;
  for (Value operand : op->getOperands())
    if (int64_t part = partOf(operand, parts); part != none)
      read.insert(part);
  // Operands without a shard are whole, and may go with any one.
  if (read.size() == 1)
    for (Value result : op->getResults())
      parts[result] = *read.begin();
}

// The common shard of the users' results; `none` if they differ or one has none.
static int64_t partOfAll(Operation::user_range users, const PartOfValue &parts) {
  int64_t common = none;
  for (Operation *user : users) {
    int64_t part = user->getNumResults() ? partOf(user->getResult(0), parts) : none;
    if (part == none || (common != none && common != part))
      return none;
    common = part;
  }
  return common;
}

void kernels::addParts(Block &block, PartOfValue &parts) {
  for (Operation &op : block.without_terminator())
    addPart(&op, parts);
  // Backward: a mask, for instance, reads no shard, but serves the equations of one.
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool reads = llvm::any_of(op.getOperands(), [&](Value operand) { return parts.contains(operand); });
    if (int64_t part = partOfAll(op.getUsers(), parts); part != none && !reads && op.getNumResults() == 1)
      parts.try_emplace(op.getResult(0), part);
  }
}

// The shard of each argument in this call, in the order of the body's arguments.
static SmallVector<int64_t> partsIn(ein::CallOp call, const SymbolTable &symbols, const PartOfValue &parts) {
  SmallVector<int64_t> found;
  for (Value value : call.getArgs())
    found.push_back(partOf(value, parts));
  for (ArrayAttr names : {call.getParams(), call.getAccumulates()})
    for (auto name : names.getAsRange<FlatSymbolRefAttr>())
      found.push_back(numberOf(symbols.lookup<ein::ParamOp>(name.getAttr()).getSharedShard()));
  return found;
}

// Derives the shards of the call's results from those of its arguments.
static void followThrough(ein::FuncOp body, ArrayRef<int64_t> arguments, ein::CallOp call, PartOfValue &parts) {
  PartOfValue inside;
  Block &block = body.getBody().front();
  for (auto [argument, part] : llvm::zip(block.getArguments(), arguments))
    if (part != none)
      inside[argument] = part;
  addParts(block, inside);
  for (auto [result, value] : llvm::zip(call.getResults(), block.getTerminator()->getOperands()))
    if (int64_t part = partOf(value, inside); part != none)
      parts[result] = part;
}

ArgumentParts::ArgumentParts(ModuleOp module) {
  // Models that are not sharded pay nothing.
  if (llvm::none_of(module.getOps<ein::ParamOp>(), [](ein::ParamOp param) { return bool(param.getSharedShard()); }) &&
      llvm::none_of(module.getOps<ein::StateOp>(), [](ein::StateOp state) { return bool(state.getShardAttr()); }))
    return;
  SymbolTable symbols(module);
  for (auto model : module.getOps<ein::ModelOp>()) {
    PartOfValue parts;
    Block &block = model.getBody().front();
    for (auto [argument, name] : llvm::zip(block.getArguments(), model.getArgNames()))
      if (ein::ShardAttr shard = ein::shardOfState(name, symbols))
        parts[argument] = shard.getIndex();
    for (auto call : model.getBody().getOps<ein::CallOp>()) {
      SmallVector<int64_t> read = partsIn(call, symbols, parts);
      auto [known, isNew] = arguments.try_emplace(call.getCalleeAttr().getAttr(), read);
      // Calls that disagree leave no shard.
      for (auto [all, one] : llvm::zip(known->second, read))
        all = all == one ? one : none;
      followThrough(symbols.lookup<ein::FuncOp>(call.getCallee()), read, call, parts);
    }
  }
}

PartOfValue ArgumentParts::of(ein::FuncOp body) const {
  PartOfValue parts;
  if (auto found = arguments.find(body.getSymNameAttr()); found != arguments.end())
    for (auto [argument, part] : llvm::zip(body.getBody().getArguments(), found->second))
      if (part != none)
        parts[argument] = part;
  return parts;
}
