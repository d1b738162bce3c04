// What a plan calls live when an arena is fullest.
#ifndef PLC_LIB_RUNTIME_EXECUTE_LIVEPLACES_H
#define PLC_LIB_RUNTIME_EXECUTE_LIVEPLACES_H

#include "plc/Runtime/Base/ManifestChecks.h"

namespace plc::runtime {

/// Bytes of an arena that hold a value before an action of a rank.
struct LivePlace {
  size_t rank, action;
  int64_t offset, bytes;
};

/// Each rank's live places before the run where they are the most bytes: last written or received before it, dropped
/// after it. Not among them are places that live through the whole entry, messages on their way, whose bytes may have
/// been copied already, and results of integers, which the manifest does not list.
std::vector<LivePlace> livePlacesAtPeak(const Manifest &manifest, const EntryPlan &plan);

} // namespace plc::runtime

#endif
