//===- OtherKeys.h - keys that a joint plan leaves as they are --*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_OTHERKEYS_H
#define PLC_LIB_DRIVER_OTHERKEYS_H

#include "Automatic.h"

namespace plc::driver {

/// Tries keys that the joint plan of a program does not vary, since bits depend on them or its search leaves them out: lanes, and a
/// replica for each; sizes of parameters that ranks share; cuts between equations; workers of one rank; another number of
/// micro-batches than a given one. Of each the plans are few, around the chosen one, so that all of them take less than the search
/// has. Writes those into the plan that would take at least `worthwhilePercent` less, fastest first. `given` is the strategy before
/// the choice.
void tryOtherKeys(const Models &models, const Program &program, llvm::SourceMgr &sources,
                  const strategy::Strategy &given, AutomaticPlan &plan);

/// What is worth changing a key for, in percent of the step.
inline constexpr int64_t worthwhilePercent = 5;

} // namespace plc::driver

#endif
