//===- ActionTable.cpp - what each rank does, in order --------------------===//
#include "plc/Module/ActionTable.h"

#include <set>

namespace plc::module {

int64_t updatedBytes(const RankInfo &rank) {
  std::set<std::string> owned, filled; // parameters; those with gradients
  for (const StaticInfo &place : rank.statics) {
    if (place.kind == StaticKind::Parameter && place.owned)
      owned.insert(place.name);
    if (place.kind == StaticKind::Gradient)
      filled.insert(place.name);
  }
  // The gradient of a parameter that another rank owns is sent there, so this rank's step does not read it.
  int64_t bytes = 0;
  for (const StaticInfo &place : rank.statics) {
    bool takesPart = place.kind == StaticKind::Parameter || place.kind == StaticKind::Gradient ||
                     place.kind == StaticKind::Moment1 || place.kind == StaticKind::Moment2;
    if (takesPart && owned.contains(place.name) && filled.contains(place.name))
      bytes += place.bytes;
  }
  return bytes;
}

} // namespace plc::module
