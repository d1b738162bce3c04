//===- ManifestTarget.cpp - any bytes, read as a module's manifest --------===//
//
// What must hold of any bytes: they are refused, or are a manifest, which is the same when it is written and read again;
// and the runtime then trusts it or says why not.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "Manifest.h"
#include "plc/Runtime/Error.h"

using namespace plc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  try {
    std::string written = module::writeManifest(module::readManifest(text));
    require(module::writeManifest(module::readManifest(written)) == written, "a manifest that reads as another");
  } catch (const module::FormatError &) {
  }
  try {
    runtime::parseManifest("fuzzed", text);
  } catch (const runtime::Error &) {
  }
  return 0;
}
