//===- Phases.cpp - the road from a model to its numerics program ----------===//
#include "plc/Algebra/Phases.h"
#include "plc/Support/ResultName.h"

#include "llvm/ADT/StringExtras.h"

using namespace plc::algebra;

static std::string differentiate(const ProgramNumbers &numbers) {
  if (numbers.entry == "train")
    return "ein-differentiate";
  std::vector<llvm::StringRef> names;
  for (const std::string &output : numbers.outputs)
    if (plc::ResultName result = plc::parseResultName(output); result.isGradient())
      names.push_back(result.name);
  // In a program that only goes forward, what is left to do is to drop 'ein.stop'.
  return "ein-differentiate{" + (names.empty() ? "forward-only=true" : "wrt=" + llvm::join(names, ",")) + "}";
}

std::vector<Phase> plc::algebra::phasesToNumerics(const ProgramNumbers &numbers) {
  std::string entry = "ein-entry{entry=" + numbers.entry;
  if (!numbers.outputs.empty())
    entry += " outputs=" + llvm::join(numbers.outputs, ",");
  std::string batches = "ein-micro-batch{micro-batches=" + std::to_string(numbers.microBatches);
  if (numbers.entry == "train")
    batches += " batches=" + std::to_string(numbers.batches);
  return {
      // What the entry does not need must not be split, ordered or differentiated.
      {"precision", entry + "},ein-simplify,ein-precision{compute=" + numbers.compute + "}"},
      {"micro-batch", batches + "}"},
      {"algebra", "ein-order-contractions,ein-simplify"},
      {"gradient", differentiate(numbers) + ",ein-simplify,ein-copy-results"},
      {"numerics", "ein-fix-numerics"},
  };
}
