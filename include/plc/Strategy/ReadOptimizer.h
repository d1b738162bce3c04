//===- ReadOptimizer.h - the keys of [optimizer] as settings ----*- C++ -*-===//
#ifndef PLC_STRATEGY_READOPTIMIZER_H
#define PLC_STRATEGY_READOPTIMIZER_H

#include "plc/Module/OptimizerSettings.h"
#include "plc/Strategy/Strategy.h"

namespace plc::strategy {

/// The learning rate, limits of the gradient and the average among settings that may contradict each other yet.
module::OptimizerSettings numbersOf(const std::map<std::string, Setting> &settings);

/// The settings of the optimizer, from `[optimizer]`, `training.nonfinite` and `precision`.
module::OptimizerSettings optimizerOf(const Strategy &strategy);

} // namespace plc::strategy

#endif
