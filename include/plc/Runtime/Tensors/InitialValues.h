// Random draws and initial values: functions of seed, path and element alone.
#ifndef PLC_RUNTIME_TENSORS_INITIALVALUES_H
#define PLC_RUNTIME_TENSORS_INITIALVALUES_H

#include "plc/Runtime/Base/Engine.h"

#include <string_view>

namespace plc::runtime {

/// Writes the initial values of a parameter. They are drawn in double, by IEEE operations without libm, then rounded to
/// the parameter's type. So f32 and f64 runs start from the same numbers up to that rounding, on any machine.
void fillInitialValues(const ParameterInfo &parameter, uint64_t seed, void *out);

/// Counter-based random bits, the source of every draw: a hash of (seed, stream, counter). Any draw can be made alone,
/// in any order.
uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t counter);

/// A number from 0 to below `end`, from the same bits.
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

/// FNV-1a, 64 bits: makes a stream from a name.
uint64_t hashBytes(std::string_view bytes);

} // namespace plc::runtime

#endif
