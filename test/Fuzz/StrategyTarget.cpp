//===- StrategyTarget.cpp - any bytes, read as a strategy -----------------===//
//
// What must hold of any bytes: they are refused, with an error that names a place, or are a strategy, which is the same
// when it is written and read again.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "MemoryFile.h"
#include "plc/Strategy/Strategy.h"
#include "llvm/Support/raw_ostream.h"

using plc::strategy::Strategy;

static std::string write(const Strategy &strategy) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  strategy.write(stream);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Alone in its folder, so that a path in an input that is relative to the file leads to nothing.
  static const MemoryFolder folder;
  static const MemoryFile memory(folder.path + "/strategy.toml");
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  std::optional<Strategy> strategy =
      Strategy::load("fuzzed", memory.hold({reinterpret_cast<const char *>(data), size}), {}, stream);
  require(strategy.has_value() == errors.empty(), "neither errors nor a strategy, or both");
  if (!strategy)
    return 0;
  std::string text = write(*strategy);
  strategy = Strategy::load("fuzzed", memory.hold(text), {}, stream);
  require(strategy && write(*strategy) == text, "a strategy that reads as another");
  return 0;
}
