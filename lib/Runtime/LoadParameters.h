// Weights of a file for the parameters of a model.
#ifndef PLC_RUNTIME_LOADPARAMETERS_H
#define PLC_RUNTIME_LOADPARAMETERS_H

#include "plc/Runtime/Engine.h"

#include <optional>

namespace plc::runtime {

/// What a file holds for one parameter.
struct ParameterMatch {
  std::optional<Tensor> tensor; // as the model wants it, unless there is a problem
  std::string problem;          // "tensor 'w' is missing; the nearest is 'v'"
  std::string found;            // the type of what does not fit; empty: nothing was found
  bool isMissing() const { return !tensor && found.empty(); }
};

struct ParameterMatches {
  std::string file;
  std::vector<ParameterMatch> parameters; // in the model's order
  std::vector<TensorInfo> unused;         // tensors of the file that are of no parameter

  size_t numMissing() const;
  size_t numProblems() const;
};

/// Looks for every parameter's values in a .safetensors file, and converts them to the model's types. Throws fileError if
/// the file is none, or holds an element that the model's type cannot.
ParameterMatches matchParameters(const std::string &file, const std::vector<ParameterInfo> &parameters);

/// Throws fileError, which tells every parameter that has a problem. Those that are missing are none where the file may
/// lack some, unless it lacks all.
void checkMatches(const ParameterMatches &matches, bool mayLack);

/// Writes a file's parameters to the engine: all of them, or none if `checkMatches` throws. What a file may lack, and
/// does, keeps its value.
ParameterMatches loadParameters(const std::string &file, Engine &engine, bool mayLack);

} // namespace plc::runtime

#endif
