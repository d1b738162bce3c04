//===- OtherKeys.h - keys that a joint plan does not vary -------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_OTHERKEYS_H
#define PLC_LIB_DRIVER_OTHERKEYS_H

#include "Automatic.h"

namespace plc::driver {

/// Tries values of keys that the joint plan does not vary, because bits depend on them or because its search leaves
/// them out:
///   - accumulation groups, with a replica for each;
///   - sizes of parameters that ranks share;
///   - cuts between equations;
///   - threads of a single rank;
///   - another number of micro-batches than a given one.
///
/// For each, only a few plans around the chosen one are searched, so that all of them take less time than the search
/// had. Adds those to the plan that take at least `worthwhilePercent` less, fastest first. `given` is the strategy
/// before the choice.
void tryOtherKeys(const Models &models, const Program &program, llvm::SourceMgr &sources,
                  const strategy::Strategy &given, AutomaticPlan &plan);

/// The gain that is worth changing a key for, in percent of the step. A convention, not tuned.
inline constexpr int64_t worthwhilePercent = 5;

} // namespace plc::driver

#endif
