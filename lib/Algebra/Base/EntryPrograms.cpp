//===- EntryPrograms.cpp - the programs of a model ------------------------===//
#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Support/ResultName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

std::string Entry::name() const {
  return nameOfChoice(program) + (outputs.empty() ? "" : "." + llvm::join(outputs, "+"));
}

bool plc::algebra::hasLoss(ein::ModelOp model) { return ein::hasName(model.getResultNames(), lossName); }

std::vector<Entry> plc::algebra::entriesOf(ein::ModelOp model, bool trains, const std::vector<std::string> &asked) {
  std::vector<Entry> entries;
  if (hasLoss(model) && trains)
    entries.push_back({ProgramKind::train, {}});
  if (hasLoss(model))
    entries.push_back({ProgramKind::eval, {}});
  entries.push_back({ProgramKind::infer, {}});
  // States and values of rules get no entry of their own.
  ArrayAttr names = model.getResultNames();
  int64_t results = llvm::count_if(names, llvm::IsaPred<StringAttr>);
  // One output may need fewer inputs than all outputs together: `generate` has no next token.
  for (Attribute each : names)
    if (auto name = dyn_cast<StringAttr>(each);
        name && results > 1 && name.getValue() != lossName && !ein::isRuleValue(name))
      entries.push_back({ProgramKind::infer, {name.str()}});
  bool isThere = llvm::any_of(entries, [&](const Entry &entry) { return entry.outputs == asked; });
  if (!asked.empty() && !isThere)
    entries.push_back({ProgramKind::infer, asked});
  return entries;
}
