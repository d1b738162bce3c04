//===- ActionTable.cpp - what each rank does, in order ----------------------===//
#include "plc/Module/ActionTable.h"

namespace plc::module {

int64_t updatedBytes(const RankInfo &rank) {
  int64_t bytes = 0;
  for (const StaticInfo &place : rank.statics) {
    bool isUpdated = place.kind == StaticKind::Parameter && place.owned && rank.find(StaticKind::Gradient, place.name);
    if (isUpdated || place.kind == StaticKind::Gradient || place.kind == StaticKind::Moment1 ||
        place.kind == StaticKind::Moment2)
      bytes += place.bytes;
  }
  return bytes;
}

} // namespace plc::module
