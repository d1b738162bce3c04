// What is said of a training step that is not finite.
#ifndef PLC_RUNTIME_BASE_NONFINITE_H
#define PLC_RUNTIME_BASE_NONFINITE_H

#include "plc/Runtime/Base/Engine.h"

#include <functional>

namespace plc::runtime {

/// "nan", "inf" or "-inf".
std::string nameOfNonFinite(double value);

/// The first element of a real tensor that is no finite number; -1 if all are, and of other types.
int64_t firstNonFinite(const TensorInfo &info, const Bytes &data);

/// Whether all parameters and moments are finite.
bool holdsFinite(Engine &engine);

/// Where a sample of an input of the batch was read: "row 37 of 'x.npy'"; "" if that is not known.
using TellSample = std::function<std::string(size_t input, int64_t sample)>;

/// The error (exit code 6) that ends a run at such a step, whose batch is computed once more. It names the step and the first kernel,
/// at its line, that gave a NaN or an infinity, or the gradient whose sum did; what of inputs and parameters is not finite; and
/// what a strategy can make of such steps. Several processes call it alike.
Error explainNonFinite(Engine &engine, int64_t step, const std::vector<Bytes> &inputs, const StepResult &result,
                       const TellSample &tellSample = {});

} // namespace plc::runtime

#endif
