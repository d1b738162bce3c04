//===- Key.cpp - the hash of a program's numerics -------------------------===//
#include "plc/Numerics/Key.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/MatmulNest.h"
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/PositionalText.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

using namespace plc;

// Whether a sum over the samples has another order under another cut.
static bool dependsOnCut(ein::Equation op, ein::MicroBatches cut) {
  std::optional<int64_t> batch = ein::batchDimOf(op);
  if (!batch || llvm::is_contained(ein::dimsOf(op.getResultMap()), *batch))
    return false;
  auto reduce = dyn_cast<ein::ReduceOp>(*op);
  // Other reductions only decide whether a sample has a gradient other than 0: the guarded value is the same 0 in any
  // cut.
  if (ein::reductionOf(op) != ein::Reduction::sum)
    return false;
  if (!op.getAccumulator())
    return true;
  if (reduce)
    return reduce.getOrder() != ein::Order::chain || reduce.getSum();
  auto contract = dyn_cast<ein::ContractOp>(*op);
  if (!contract || contract.getChain())
    return false;
  if (!contract.getOrder()) // not fixed yet
    return true;
  if (std::optional<int64_t> anew = contract.getAnew())
    return *anew > 1 && (cut.isRagged() || cut.mostSamples() % *anew);
  int64_t ofSample = 1;
  for (int64_t dim : llvm::drop_begin(*contract.getOrder()))
    ofSample *= contract.getExtents()[dim];
  return ofSample % (contract.getPairs() ? ein::pairBlock : ein::sumBlock);
}

Operation *numerics::findDependenceOnCut(ein::ModelOp model) {
  ein::MicroBatches cut = ein::cutOf(model);
  Operation *found = cut.groups > 1 && cut.isRagged() ? model.getOperation() : nullptr;
  model->getParentOfType<ModuleOp>().walk([&](ein::Equation op) {
    if (!found && dependsOnCut(op, cut))
      found = op;
  });
  return found;
}

/// Words of IR today, and when keys were first written. A key outlives a rename: checkpoints and logs name it.
static constexpr std::pair<StringLiteral, StringLiteral> formerWords[] = {
    {" = ein.insert_slice ", " = ein.place "},
    {" = ein.loop iterations ", " = ein.loop turns "},
    {"\" iteration ", "\" turn "}, // behind the path of a call, which has no space
};

static std::string withFormerWords(std::string text) {
  for (auto [now, former] : formerWords)
    for (size_t at = 0; (at = text.find(now.str(), at)) != std::string::npos; at += former.size())
      text.replace(at, now.size(), former.str());
  return text;
}

namespace {
/// Takes what an update needs off the parameters of a module while it lives: an optimizer changes no gradient.
class WithoutUpdates {
public:
  explicit WithoutUpdates(ModuleOp module) {
    for (auto param : module.getOps<ein::ParamOp>()) {
      taken.push_back({param, param.getMomentsAttr(), param.getWorkspaceAttr(), param.getRowsAttr()});
      set(param, nullptr, nullptr, nullptr);
    }
  }
  ~WithoutUpdates() {
    for (auto &[param, moments, workspace, rows] : taken)
      set(param, moments, workspace, rows);
  }

private:
  static void set(ein::ParamOp param, ArrayAttr moments, IntegerAttr workspace, IntegerAttr rows) {
    param.setMomentsAttr(moments);
    param.setWorkspaceAttr(workspace);
    param.setRowsAttr(rows);
  }
  std::vector<std::tuple<ein::ParamOp, ArrayAttr, IntegerAttr, IntegerAttr>> taken;
};
} // namespace

std::string numerics::numericsKey(ModuleOp module) {
  WithoutUpdates without(module);
  // The number of micro-batches is part of the text only if a sum depends on it.
  SmallVector<std::pair<ein::ModelOp, int64_t>> counts;
  for (auto model : module.getOps<ein::ModelOp>())
    if (ein::isUncut(model) && !findDependenceOnCut(model)) {
      counts.emplace_back(model, model.getMicroBatches());
      model.setMicroBatches(model.getAccumulationGroups().value_or(1));
    }
  std::string text;
  llvm::raw_string_ostream stream(text);
  ein::PositionalText scope;
  OpPrintingFlags flags;
  // Local scope: names of attributes and types must not depend on the rest of the module.
  flags.enableDebugInfo(false).useLocalScope();
  // No printing option may change the key.
  flags.printGenericOpForm(false).skipRegions(false).printValueUsers(false).printUniqueSSAIDs(false);
  flags.printNameLocAsPrefix(false).elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  // Provenance is no part of the key.
  DictionaryAttr provenance = module->getDiscardableAttrDictionary();
  module->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  module.print(stream, flags);
  module->setDiscardableAttrs(provenance);
  for (auto &[model, count] : counts)
    model.setMicroBatches(count);
  text = withFormerWords(std::move(text));
  auto hash = llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return llvm::toHex(hash, /*LowerCase=*/true);
}
