// Writes parameters under others' names and layouts.
#ifndef PLC_RUNTIME_TENSORS_EXPORTPARAMETERS_H
#define PLC_RUNTIME_TENSORS_EXPORTPARAMETERS_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Runtime/Tensors/ParameterMap.h"

namespace plc::runtime {

/// What an export did.
struct Exported {
  size_t tensors = 0;                      // in the file
  size_t tied = 0;                         // parameters that are left out, since the file has their values already
  std::vector<const ParameterRule *> idle; // rules of the map that match no parameter
};

/// Writes the engine's parameters to FILE.safetensors, by the rules of a map read backwards; without a map under their
/// own names. A parameter goes to the first name of its rule, with the first prefix. Writes nothing and throws Error at
/// the map's line if a rule loses information, if rules contradict each other, or if a tensor has elements of no
/// parameter.
Exported exportParameters(const std::string &file, Engine &engine, const ParameterMap *map);

} // namespace plc::runtime

#endif
