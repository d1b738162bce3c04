//===- ParameterShards.cpp - shards and whole parameters ------------------===//
#include "plc/Module/ParameterShards.h"
#include "plc/Module/Manifest.h"

#include <cstring>

using namespace plc;
using namespace plc::module;

namespace {

[[noreturn]] void fail(const std::string &path, const std::string &what) {
  throw FormatError("manifest: parameter '" + path + "' " + what);
}

/// Whether a parameter is shard `number` of the same whole as the shard `first`.
bool isPart(const ParameterInfo &each, const ParameterInfo &first, const PartName &of, int64_t number) {
  return each.path == partName({of.path, of.axis, number, of.parts}) && each.type == first.type &&
         each.shape == first.shape && each.frozen == first.frozen && each.init.kind == first.init.kind;
}

/// Calls copy(offset in the whole, offset in the shard, bytes) for each run of bytes that is contiguous in both.
template <class Copy>
void forEachRun(const ParameterInfo &whole, const PartName &part, Copy copy) {
  size_t outer = 1;
  for (int64_t axis = 0; axis < part.axis; ++axis)
    outer *= static_cast<size_t>(whole.shape[static_cast<size_t>(axis)]);
  size_t run = whole.tensor().numBytes() / outer, count = run / static_cast<size_t>(part.parts);
  for (size_t i = 0; i < outer; ++i)
    copy(i * run + static_cast<size_t>(part.part) * count, i * count, count);
}

} // namespace

std::vector<ParameterInfo> plc::module::wholeParameters(const std::vector<ParameterInfo> &held) {
  std::vector<ParameterInfo> wholes;
  for (size_t i = 0; i < held.size(); ++i) {
    wholes.push_back(held[i]);
    std::optional<PartName> name = parsePartName(held[i].path);
    if (!name)
      continue;
    if (static_cast<size_t>(name->axis) >= held[i].shape.size())
      fail(held[i].path, "has " + std::to_string(held[i].shape.size()) + " axes");
    for (int64_t part = 0; part < name->parts; ++part)
      if (size_t at = i + static_cast<size_t>(part); at >= held.size() || !isPart(held[at], held[i], *name, part))
        fail(held[i].path, "is not followed by the other parts of its whole, which are alike");
    ParameterInfo &whole = wholes.back();
    whole.shape[static_cast<size_t>(name->axis)] *= name->parts;
    i += static_cast<size_t>(name->parts) - 1;
    whole.path = std::string(name->path);
  }
  return wholes;
}

void plc::module::takePart(const ParameterInfo &whole, const PartName &part, const std::byte *from, std::byte *to) {
  forEachRun(whole, part, [&](size_t in, size_t out, size_t count) { std::memcpy(to + out, from + in, count); });
}

void plc::module::putPart(const ParameterInfo &whole, const PartName &part, const std::byte *from, std::byte *to) {
  forEachRun(whole, part, [&](size_t in, size_t out, size_t count) { std::memcpy(to + in, from + out, count); });
}
