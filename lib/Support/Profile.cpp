//===- Profile.cpp - reads the log of a run -------------------------------===//
#include "plc/Support/Profile.h"
#include "plc/Support/Json.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace plc;
using llvm::StringRef;
using nlohmann::json;

static const json *memberOf(const json &value, const char *key) {
  auto found = value.find(key); // the end, if it is no object
  return found == value.end() ? nullptr : &*found;
}

static bool isCount(const json *value) { return value && value->is_number_integer() && value->get<int64_t>() >= 0; }

std::optional<Profile> Profile::read(StringRef path, std::string &why) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    why = "cannot read profile '" + path.str() + "': " + buffer.getError().message();
    return std::nullopt;
  }
  why = "'" + path.str() +
        "' has no times of kernels; 'plc-run train --log' writes them, of a module that was compiled " +
        "with 'profiling = true'";
  json log;
  try {
    log = parseJson((*buffer)->getBuffer().trim().rsplit('\n').second); // the summary is the last line
  } catch (const JsonError &) {
    return std::nullopt;
  }
  const json *summary = memberOf(log, "summary"), *kernels = summary ? memberOf(*summary, "kernels") : nullptr;
  if (!kernels || !kernels->is_array())
    return std::nullopt;
  Profile profile;
  for (const json &each : *kernels) {
    const json *name = memberOf(each, "kernel"), *bytes = memberOf(each, "bytes"), *ns = memberOf(each, "median_ns");
    if (!name || !name->is_string() || !isCount(bytes) || !isCount(ns))
      return std::nullopt;
    profile.times[name->get_ref<const std::string &>()] = {bytes->get<int64_t>(), ns->get<int64_t>()};
  }
  return profile;
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
