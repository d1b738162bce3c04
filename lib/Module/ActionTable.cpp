//===- ActionTable.cpp - what each rank does, in order --------------------===//
#include "plc/Module/ActionTable.h"
#include "plc/Module/Alignment.h"

#include <algorithm>
#include <set>

namespace plc::module {

int64_t endOfBuffers(const RankInfo &rank) {
  int64_t end = 0;
  for (const BufferInfo &buffer : rank.buffers)
    end = std::max(end, buffer.offset + buffer.bytes);
  return aligned(end);
}

int64_t updatedBytes(const RankInfo &rank) {
  std::set<std::string> owned, filled; // parameters; those with gradients
  for (const BufferInfo &buffer : rank.buffers) {
    if (buffer.kind == BufferKind::Parameter && buffer.owned)
      owned.insert(buffer.name);
    if (buffer.kind == BufferKind::Gradient)
      filled.insert(buffer.name);
  }
  // The gradient of a parameter that another rank owns is sent there, so this rank's step does not read it.
  int64_t bytes = 0;
  for (const BufferInfo &buffer : rank.buffers) {
    bool takesPart = buffer.kind == BufferKind::Parameter || buffer.kind == BufferKind::Gradient ||
                     buffer.kind == BufferKind::Moment || buffer.kind == BufferKind::Average;
    if (takesPart && owned.contains(buffer.name) && filled.contains(buffer.name))
      bytes += buffer.bytes;
  }
  return bytes;
}

} // namespace plc::module
