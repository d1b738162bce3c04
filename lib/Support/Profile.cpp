//===- Profile.cpp - reads the log of a run -------------------------------===//
#include "plc/Support/Profile.h"
#include "plc/Support/JsonNode.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace plc;
using llvm::StringRef;

std::optional<Profile> Profile::read(StringRef path, std::string &why) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    why = "cannot read profile '" + path.str() + "': " + buffer.getError().message();
    return std::nullopt;
  }
  why = "'" + path.str() +
        "' has no times of kernels; 'plc-run train --log' writes them, of a module that was compiled " +
        "with 'profiling = true'";
  try {
    nlohmann::json log = parseJson((*buffer)->getBuffer().trim().rsplit('\n').second); // the summary is the last line
    Profile profile;
    for (const JsonNode &each : JsonNode(log)["summary"]["kernels"].elements())
      profile.times[each["kernel"].string()] = {each["bytes"].integer(0, INT64_MAX),
                                                each["median_ns"].integer(0, INT64_MAX)};
    return profile;
  } catch (const JsonError &) {
    return std::nullopt;
  } catch (const JsonPathError &) {
    return std::nullopt;
  }
}

std::optional<int64_t> Profile::nsOf(StringRef kernel, int64_t bytes) const {
  auto found = times.find(kernel);
  return found != times.end() && found->second.bytes == bytes ? std::optional(found->second.ns) : std::nullopt;
}

std::optional<double> Profile::nsPerUpdatedByte() const {
  auto found = times.find("step");
  if (found == times.end() || found->second.bytes == 0 || found->second.ns == 0)
    return std::nullopt;
  return double(found->second.ns) / double(found->second.bytes);
}
