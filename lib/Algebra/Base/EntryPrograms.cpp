//===- EntryPrograms.cpp - the programs of a model ------------------------===//
#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Support/ResultName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

std::string Entry::name() const {
  return nameOfChoice(program) + (outputs.empty() ? "" : "." + llvm::join(outputs, "+"));
}

bool plc::algebra::hasLoss(ein::ModelOp model) {
  return llvm::is_contained(model.getResultNames().getAsValueRange<StringAttr>(), StringRef(lossName));
}

std::vector<Entry> plc::algebra::entriesOf(ein::ModelOp model, bool trains, const std::vector<std::string> &asked) {
  std::vector<Entry> entries;
  if (hasLoss(model) && trains)
    entries.push_back({ProgramKind::train, {}});
  if (hasLoss(model))
    entries.push_back({ProgramKind::eval, {}});
  entries.push_back({ProgramKind::infer, {}});
  // States and values of rules get no entry of their own.
  auto isOutput = [](StringRef name) { return !parseResultName(name).isRuleValue() && stateOf(name).empty(); };
  auto names = model.getResultNames().getAsValueRange<StringAttr>();
  // One output may need fewer inputs than all outputs together: `generate` has no next token.
  for (StringRef name : names)
    if (llvm::count_if(names, [](StringRef each) { return stateOf(each).empty(); }) > 1 && name != lossName &&
        isOutput(name))
      entries.push_back({ProgramKind::infer, {name.str()}});
  bool isThere = llvm::any_of(entries, [&](const Entry &entry) { return entry.outputs == asked; });
  if (!asked.empty() && !isThere)
    entries.push_back({ProgramKind::infer, asked});
  return entries;
}
