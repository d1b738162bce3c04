//===- MapTarget.cpp - any bytes, read as a map of parameters -------------===//
//
// What must hold of any bytes: they are refused at a place, or are a map.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/ParameterMap.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    plc::runtime::readParameterMap("fuzzed", {reinterpret_cast<const char *>(data), size});
  } catch (const plc::runtime::Error &) {
  }
  return 0;
}
