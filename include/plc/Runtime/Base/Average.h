// The moving averages of parameters.
#ifndef PLC_RUNTIME_BASE_AVERAGE_H
#define PLC_RUNTIME_BASE_AVERAGE_H

#include "plc/Runtime/Base/Tensor.h"

namespace plc::runtime {

/// After a step that was taken, the average of a parameter of a real type follows its new value, element by element,
/// every operation rounded to the type and none fused:
///   average = ema * average + (1 - ema) * value
/// where ema and 1 - ema are rounded from double once. Updates the slice that begins at element `begin` of `count`, at
/// most `updatedPart` (Optimizer.h).
void updateAverage(ElementType type, int64_t begin, int64_t count, double ema, const void *value, void *average);

} // namespace plc::runtime

#endif
