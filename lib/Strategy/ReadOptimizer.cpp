//===- ReadOptimizer.cpp - the keys of [optimizer] as settings ------------===//
#include "plc/Strategy/ReadOptimizer.h"

#include "plc/Support/Precisions.h"

using namespace plc;

module::OptimizerSettings plc::strategy::optimizerOf(const Strategy &strategy) {
  module::OptimizerSettings settings;
  settings.kind = strategy.getChoice<OptimizerKind>("optimizer.kind");
  settings.lr = strategy.get<double>("optimizer.lr");
  settings.weightDecay = strategy.get<double>("optimizer.weight_decay");
  settings.beta1 = strategy.get<double>("optimizer.beta1");
  settings.beta2 = strategy.get<double>("optimizer.beta2");
  settings.eps = strategy.get<double>("optimizer.eps");
  settings.momentum = strategy.get<double>("optimizer.momentum");
  settings.schedule = strategy.getChoice<RateSchedule>("optimizer.schedule.kind");
  settings.warmup = strategy.get<int64_t>("optimizer.schedule.warmup");
  settings.total = strategy.get<int64_t>("optimizer.schedule.total");
  settings.clipNorm = strategy.get<double>("optimizer.clip_norm");
  settings.nonFinite = strategy.getChoice<NonFiniteStep>("training.nonfinite");
  settings.scalesLoss = rowOf(strategy.getChoice<Precision>("precision.compute")).scalesLoss;
  settings.lossScale = strategy.get<double>("precision.loss_scale");
  return settings;
}
