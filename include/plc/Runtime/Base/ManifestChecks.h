// A module's manifest (plc/Module/Manifest.h), as the runtime checks it.
#ifndef PLC_RUNTIME_BASE_MANIFESTCHECKS_H
#define PLC_RUNTIME_BASE_MANIFESTCHECKS_H

#include "plc/Module/Manifest.h"
#include "plc/Runtime/Base/Engine.h"

namespace plc::runtime {

using module::ActionInfo;
using module::BufferInfo;
using module::BufferKind;
using module::CallInfo;
using module::ChannelInfo;
using module::EntryPlan;
using module::GatherInfo;
using module::KernelInfo;
using module::Manifest;
using module::RankInfo;
using module::TaskInfo;

/// Parses and checks a manifest. Afterwards every index, offset and extent is within bounds, and every message of a
/// channel is posted, sent and awaited exactly once. Throws fileError that names the place in the manifest.
Manifest parseManifest(const std::string &file, std::string_view text);

/// The checks that need more than one field; called by parseManifest.
void checkManifest(const std::string &file, const Manifest &manifest);

} // namespace plc::runtime

#endif
