// Explains a training step that is not finite.
#ifndef PLC_RUNTIME_BASE_NONFINITE_H
#define PLC_RUNTIME_BASE_NONFINITE_H

#include "plc/Runtime/Base/Engine.h"

#include <functional>

namespace plc::runtime {

/// "nan", "inf" or "-inf".
std::string nameOfNonFinite(double value);

/// The first element of a real tensor that is NaN or infinite; -1 if there is none, and for other types.
int64_t firstNonFinite(const TensorInfo &info, const Bytes &data);

/// Whether all parameters, moments and averages are finite.
bool holdsFinite(Engine &engine);

/// The source of a sample of an input: "row 37 of 'x.npy'"; empty if unknown.
using DescribeSample = std::function<std::string(size_t input, int64_t sample)>;

/// The error (exit code 6) that ends a run at such a step. Computes its batch once more. Names the step and the first
/// kernel, at its line, that made a NaN or infinity, or else the gradient whose sum did. Notes name inputs and
/// parameters that are not finite, and what a strategy can do about such steps. Collective.
Error explainNonFinite(Engine &engine, int64_t step, const std::vector<Bytes> &inputs, const StepResult &result,
                       const DescribeSample &describeSample = {});

} // namespace plc::runtime

#endif
