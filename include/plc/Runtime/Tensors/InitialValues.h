// Initial values of parameters: a function of seed, path and element alone.
#ifndef PLC_RUNTIME_TENSORS_INITIALVALUES_H
#define PLC_RUNTIME_TENSORS_INITIALVALUES_H

#include "plc/Runtime/Base/Engine.h"

#include <string_view>

namespace plc::runtime {

/// Fills a parameter. Drawn in double by IEEE operations only (no libm), then rounded to the parameter's type, so f32
/// and f64 runs start from the same numbers up to that rounding.
void fillInitialValues(const ParameterInfo &parameter, uint64_t seed, void *out);

/// The counter-based bits behind every draw: a mix of (seed, stream, counter).
uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t counter);

/// Of them a number from 0 to below `end`.
int64_t randomBelow(int64_t end, uint64_t seed, uint64_t stream, uint64_t counter);

/// 52 random bits as a number in (0, 1), never 0 or 1.
double uniformFromBits(uint64_t bits);

/// Draw `counter` of a stream of standard normal numbers: Marsaglia's polar method ("A convenient method for generating
/// normal variables", 1964), whose rejected tries take further bits of the same draw.
double normalDraw(uint64_t seed, uint64_t stream, uint64_t counter);

/// log x for finite x > 0, by IEEE operations only, relative error below 1e-14 away from 1.
double plainLog(double x);

/// exp x for x <= 0, by IEEE operations only, relative error below 1e-14; 0 below -700.
double plainExp(double x);

/// FNV-1a 64.
uint64_t hashBytes(std::string_view bytes);

} // namespace plc::runtime

#endif
