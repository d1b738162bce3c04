// The values that a plan calls live when an arena is fullest.
#ifndef PLC_LIB_RUNTIME_EXECUTE_LIVERANGES_H
#define PLC_LIB_RUNTIME_EXECUTE_LIVERANGES_H

#include "plc/Runtime/Base/ManifestChecks.h"

namespace plc::runtime {

/// Bytes of a rank's arena that hold a live value before an action of that rank.
struct LiveRange {
  size_t rank, action;
  int64_t offset, bytes;
};

/// Each rank's live values before the run of a task where they are the most bytes. A value lives from the action that
/// last wrote or received it to its drop. Left out are persistent buffers, messages on their way (their bytes may have
/// been copied already), and results of integers, which the manifest does not list.
std::vector<LiveRange> liveRangesAtPeak(const Manifest &manifest, const EntryPlan &plan);

} // namespace plc::runtime

#endif
