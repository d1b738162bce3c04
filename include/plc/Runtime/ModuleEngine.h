// Running compiled modules.
#ifndef PLC_RUNTIME_MODULEENGINE_H
#define PLC_RUNTIME_MODULEENGINE_H

#include "plc/Runtime/Engine.h"

#include <memory>
#include <optional>

namespace plc::runtime {

/// Loads a .plcm. `threadsPerStage` overrides the module's own. Throws fileError.
std::unique_ptr<Engine> openModule(const std::string &file, std::optional<int64_t> threadsPerStage = std::nullopt);

} // namespace plc::runtime

#endif
