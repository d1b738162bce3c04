// The weights of a model: one .safetensors file, or the shards that an index names.
#ifndef PLC_RUNTIME_WEIGHTFILE_H
#define PLC_RUNTIME_WEIGHTFILE_H

#include "Safetensors.h"

namespace plc::runtime {

/// Reads FILE.safetensors, or FILE.json: an index, whose `weight_map` says for each tensor which file beside it has it.
/// Throws fileError.
Safetensors readWeights(const std::string &file);

} // namespace plc::runtime

#endif
