//===- Provenance.cpp - the phase and origin of a module's IR -------------===//
#include "plc/Dialect/Ein/Provenance.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace plc;

namespace {

constexpr llvm::StringLiteral phaseName = "ein.phase", programName = "ein.program", outputsName = "ein.outputs",
                              keyName = "ein.numerics_key";

void setText(ModuleOp module, StringRef name, StringRef text) {
  module->setAttr(name, StringAttr::get(module.getContext(), text));
}

/// The text of an attribute; empty if there is none.
FailureOr<StringRef> textAt(ModuleOp module, StringRef name) {
  Attribute found = module->getAttr(name);
  if (!found)
    return StringRef();
  if (auto text = dyn_cast<StringAttr>(found))
    return text.getValue();
  return module.emitError("'") << name << "' is " << found << ", expected a string";
}

template <typename Kind>
LogicalResult read(ModuleOp module, StringRef name, std::optional<Kind> &kind) {
  FailureOr<StringRef> text = textAt(module, name);
  if (failed(text))
    return failure();
  kind = parseChoice<Kind>(*text);
  if (!text->empty() && !kind)
    return module.emitError("'") << name << "' is '" << *text << "', expected " << listChoices<Kind>("'", " or ");
  return success();
}

} // namespace

void ein::setPhase(ModuleOp module, PhaseKind phase) { setText(module, phaseName, nameOfChoice(phase)); }

void ein::setProgram(ModuleOp module, ProgramKind program, ArrayRef<std::string> outputs) {
  setText(module, programName, nameOfChoice(program));
  SmallVector<StringRef> names(outputs.begin(), outputs.end());
  if (!names.empty())
    module->setAttr(outputsName, Builder(module.getContext()).getStrArrayAttr(names));
}

void ein::setNumericsKey(ModuleOp module, StringRef key) { setText(module, keyName, key); }

FailureOr<ein::Provenance> ein::provenanceOf(ModuleOp module) {
  Provenance found;
  FailureOr<StringRef> key = textAt(module, keyName);
  if (failed(key) || failed(read(module, phaseName, found.phase)) || failed(read(module, programName, found.program)))
    return failure();
  found.numericsKey = key->str();
  if (Attribute outputs = module->getAttr(outputsName)) {
    auto list = dyn_cast<ArrayAttr>(outputs);
    if (!list || !llvm::all_of(list, [](Attribute each) { return isa<StringAttr>(each); }))
      return module.emitError("'") << outputsName << "' is " << outputs << ", expected names of results";
    for (StringRef name : list.getAsValueRange<StringAttr>())
      found.outputs.push_back(name.str());
  }
  return found;
}
