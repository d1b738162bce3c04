//===- Profile.cpp - reads the log of a run ---------------------------------===//
#include "plc/Support/Profile.h"

#include "llvm/Support/JSON.h"
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
  // The summary is the last line.
  auto parsed = llvm::json::parse((*buffer)->getBuffer().trim().rsplit('\n').second);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  auto *line = parsed->getAsObject();
  auto *summary = line ? line->getObject("summary") : nullptr;
  auto *kernels = summary ? summary->getArray("kernels") : nullptr;
  if (!kernels)
    return std::nullopt;
  Profile profile;
  for (const llvm::json::Value &each : *kernels) {
    auto *kernel = each.getAsObject();
    auto name = kernel ? kernel->getString("kernel") : std::nullopt;
    auto bytes = kernel ? kernel->getInteger("bytes") : std::nullopt;
    auto ns = kernel ? kernel->getInteger("median_ns") : std::nullopt;
    if (!name || !bytes || !ns || *bytes < 0 || *ns < 0)
      return std::nullopt;
    profile.times[*name] = {*bytes, *ns};
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
