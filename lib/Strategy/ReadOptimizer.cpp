//===- ReadOptimizer.cpp - the keys of [optimizer] as settings ------------===//
#include "plc/Strategy/ReadOptimizer.h"

#include "plc/Support/Precisions.h"

using namespace plc;

module::OptimizerSettings plc::strategy::optimizerOf(const Strategy &strategy) {
  module::OptimizerSettings settings;
  settings.kind = strategy.get(keys::optimizerKind);
  settings.lr = strategy.get(keys::optimizerLr);
  settings.weightDecay = strategy.get(keys::optimizerWeightDecay);
  settings.beta1 = strategy.get(keys::optimizerBeta1);
  settings.beta2 = strategy.get(keys::optimizerBeta2);
  settings.eps = strategy.get(keys::optimizerEps);
  settings.momentum = strategy.get(keys::optimizerMomentum);
  settings.schedule = strategy.get(keys::optimizerScheduleKind);
  settings.warmup = strategy.get(keys::optimizerScheduleWarmup);
  settings.total = strategy.get(keys::optimizerScheduleTotal);
  settings.clipNorm = strategy.get(keys::optimizerClipNorm);
  settings.nonFinite = strategy.get(keys::trainingNonfinite);
  settings.scalesLoss = rowOf(strategy.get(keys::precisionCompute)).scalesLoss;
  settings.lossScale = strategy.get(keys::precisionLossScale);
  return settings;
}
