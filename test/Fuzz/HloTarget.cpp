//===- HloTarget.cpp - any text, read as StableHLO ------------------------===//
//
// What must hold of any text: it is refused with an error, or gives a graph in which each value is defined before it is
// read.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "GraphCheck.h"
#include "plc/Import/ReadStableHlo.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  if (auto model = plc::import::readStableHlo({reinterpret_cast<const char *>(data), size}, "", error)) {
    checkGraph(model->graph);
    checkWeights(*model);
  } else {
    require(!error.empty(), "refused without a text");
  }
  return 0;
}
