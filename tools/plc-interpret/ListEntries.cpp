//===- ListEntries.cpp - the entries that an interpreted source has -------===//
#include "InterpretedEngine.h"

#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Support/ResultName.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace plc::interpret {

using reference::Interpreter;
using runtime::EntryInfo;

/// The parameters whose gradients a program accumulates.
static llvm::StringSet<> accumulatedIn(ModuleOp module) {
  llvm::StringSet<> paths;
  module.walk([&](ein::CallOp call) {
    for (auto path : call.getAccumulates().getAsRange<FlatSymbolRefAttr>())
      paths.insert(path.getValue());
  });
  return paths;
}

// The inputs and outputs of a program, as callers see them: of the whole batch, and without states.
EntryInfo InterpretedEngine::describe(ModuleOp module, const std::string &name) {
  Interpreter types(module, real);
  ein::ModelOp model = types.getModel();
  EntryInfo entry;
  entry.name = name;
  entry.batch = std::max<int64_t>(1, model.getBatch());
  entry.microBatches = std::max<int64_t>(1, model.getMicroBatches());
  entry.groups = model.getAccumulationGroups().value_or(1);
  if (source.isRules()) { // not cut yet
    entry.microBatches = settings.microBatches.value_or(1) * (entry.trains() ? settings.accumulationSteps : 1);
    entry.groups = settings.groups;
  }
  auto list = [&](std::vector<runtime::TensorInfo> &tensors, ArrayAttr names, ArrayRef<int64_t> batch,
                  ArrayRef<Type> all) {
    for (auto [index, type] : llvm::enumerate(all)) {
      if (isa<ein::WholeNameAttr, ein::StateNameAttr, ein::GivenNameAttr>(names[index]))
        continue; // no caller gives it
      ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
      runtime::TensorInfo info{ein::textOf(names[index]),
                               types.elementOf(type),
                               std::vector<int64_t>(shape.begin(), shape.end()),
                               batch[index],
                               ein::sourceOf(names[index]),
                               ein::sourceOfGradient(names[index])};
      // One value for each sample is summed before the caller sees it, so the axis is not the caller's.
      if (info.sumsSamples())
        info.shape.erase(info.shape.begin());
      if (info.batched() && entry.microBatches > 1) // The type is that of a batch or a micro-batch.
        info.shape[info.batchAxis] = entry.batch;
      tensors.push_back(std::move(info));
    }
  };
  list(entry.inputs, model.getArgNames(), model.getArgBatch(), model.getArgumentTypes());
  list(entry.outputs, model.getResultNames(), model.getResultBatch(), model.getResultTypes());
  return entry;
}

// `train`, and the same program as `gradient`, which also returns the gradients.
void InterpretedEngine::addTrainingEntries(ModuleOp program,
                                           function_ref<bool(const runtime::ParameterInfo &)> isMade) {
  entryList.push_back(describe(program, nameOfChoice(ProgramKind::train)));
  EntryInfo gradient = entryList.back();
  gradient.name = module::gradientEntry;
  for (const runtime::ParameterInfo &info : parameterList)
    if (isMade(info))
      gradient.outputs.push_back(info.gradient());
  entryList.push_back(std::move(gradient));
}

// IR is one program. Its entries are those that the program can serve.
void InterpretedEngine::listEntriesOfIR() {
  llvm::StringSet<> accumulated = accumulatedIn(source.getModule());
  auto isMade = [&](const runtime::ParameterInfo &info) { return accumulated.contains(info.path); };
  // A program that accumulates gradients is the one of training.
  if (!accumulated.empty() && source.hasLoss())
    addTrainingEntries(source.getModule(), isMade);
  if (source.hasLoss())
    entryList.push_back(describe(source.getModule(), nameOfChoice(ProgramKind::eval)));
  entryList.push_back(describe(source.getModule(), nameOfChoice(ProgramKind::infer)));
}

// Gradients that an entry requests are no results of its program yet. They have the shape of what they are gradients
// of, in the type that is computed in.
void InterpretedEngine::addGradients(EntryInfo &entry, const std::vector<std::string> &outputs) const {
  for (const std::string &output : outputs) {
    ResultName result = parseResultName(output);
    if (!result.isGradient())
      continue;
    for (const runtime::TensorInfo &input : entry.inputs)
      if (input.name == result.name) {
        entry.outputs.push_back(input);
        entry.outputs.back().name = output;
        entry.outputs.back().gradientOf = result.name;
        entry.outputs.back().type = sumTypeOf(input.type);
      }
    for (const runtime::ParameterInfo &info : parameterList)
      if (info.path == result.name)
        entry.outputs.push_back(info.gradient());
  }
}

void InterpretedEngine::listEntries(const std::vector<std::string> &askedOutputs) {
  if (!source.isRules())
    return listEntriesOfIR();
  for (const algebra::Entry &entry : algebra::entriesOf(source.getModel(), /*trains=*/true, askedOutputs)) {
    if (entry.program == ProgramKind::train) {
      addTrainingEntries(*source.lower(ProgramKind::train, {}, /*entryOnly=*/true),
                         [](const runtime::ParameterInfo &info) { return !info.frozen; });
      continue;
    }
    EntryInfo info = describe(*source.lower(entry.program, entry.outputs, /*entryOnly=*/true), entry.name());
    addGradients(info, entry.outputs);
    entryList.push_back(std::move(info));
  }
}

} // namespace plc::interpret
