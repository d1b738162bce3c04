//===- ManifestTarget.cpp - any bytes, read as a module's manifest --------===//
//
// What must hold of any bytes: they are refused, or are a manifest, which is the same when it is written and read
// again; and the runtime then trusts it or says why not. Of one that it trusts it tells any place that a lost process
// may have left in its flight recorder.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/FlightRecorder.h"
#include "plc/Runtime/Base/ManifestChecks.h"

using namespace plc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  module::Manifest manifest;
  try {
    manifest = module::readManifest({reinterpret_cast<const char *>(data), size});
  } catch (const module::FormatError &) {
    return 0;
  }
  std::string written = module::writeManifest(manifest);
  require(module::writeManifest(module::readManifest(written)) == written, "a manifest that reads as another");
  try {
    runtime::checkManifest("fuzzed", manifest);
    uint64_t random = size;
    for (size_t i = 0; i < 64; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      runtime::RankFlight::Position position{random >> 62, random >> 40 & 31, random >> 20 & 7};
      require(describePosition(manifest, i % 4, position).second.starts_with("rank "), "a place that is not told");
    }
  } catch (const runtime::Error &) {
  }
  return 0;
}
