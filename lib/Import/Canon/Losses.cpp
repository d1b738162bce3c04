//===- Losses.cpp - losses of classes, by name ----------------------------===//
#include "Canon/Canon.h"

#include <unordered_map>

using namespace plc;
using namespace plc::import;

NetNode *plc::import::reduced(Call &call, NetNode *loss) {
  // As PyTorch numbers them: none, mean, sum.
  int64_t reduction = call.integer("reduction", 1);
  return reduction == 0 ? loss : call.build.reduce(reduction == 1 ? Op::Mean : Op::Sum, loss, {}, call.type());
}

namespace {
/// The axis of classes is the second one, or the only one.
NetNode *classesLast(Builder &build, NetNode *x) {
  Shape order;
  for (int i = 0; i < x->rank(); ++i)
    if (i != 1)
      order.push_back(i);
  order.insert(order.end(), x->rank() > 1, 1);
  return build.permute(x, order);
}

/// The sum or mean over the targets that count; each by the weight of its class, if there are weights.
NetNode *reducedLoss(Call &call, NetNode *loss, NetNode *counts) {
  Builder &build = call.build;
  if (call.integer("reduction", 1) != 1)
    return reduced(call, loss);
  auto all = [&](NetNode *x) { return build.reduce(Op::Sum, x, {}, {ElementType::F32, {}}); };
  NetNode *mean = build.map(Op::Div, {all(loss), all(counts)});
  if (call.isUsed(1))
    call.results[1] = all(counts);
  return mean;
}

/// Minus the logarithms of probabilities at the targets, which may be left out.
NetNode *likelihoodOf(Call &call, NetNode *x, NetNode *target) {
  Builder &build = call.build;
  NetNode *weight = call.tensorIf("weight"), *none = build.number(0, ElementType::I64);
  NetNode *counts =
      build.compare(Op::NotEqual, target, build.number(double(call.integer("ignore_index", -100)), ElementType::I64));
  NetNode *inside = build.map(Op::Where, {counts, target, none}, target->type.type);
  NetNode *index = build.unsqueeze(inside, inside->rank());
  NetNode *picked = build.make(Op::Gather, {x, index}, {x->type.type, index->shape()}, {.dim = x->rank() - 1});
  NetNode *loss = build.map(Op::Negate, {build.view(picked, target->shape())});
  NetNode *share = weight ? build.indexAlong(weight, 0, inside)
                          : build.make(Op::Full, {}, {x->type.type, target->shape()}, {.number = 1});
  if (weight)
    loss = build.map(Op::Mul, {loss, share});
  double smoothing = call.real("label_smoothing");
  if (smoothing != 0) {
    NetNode *each = weight ? build.map(Op::Mul, {x, weight}) : x;
    NetNode *spread = build.reduce(Op::Sum, each, {x->rank() - 1}, {x->type.type, target->shape()});
    auto scaled = [&](NetNode *x, double by) { return build.map(Op::Mul, {x, build.number(by, ElementType::F64)}); };
    loss = build.map(Op::Sub, {scaled(loss, 1 - smoothing), scaled(spread, smoothing / double(x->shape().back()))});
  }
  NetNode *zero = build.number(0, ElementType::F64);
  loss = build.map(Op::Where, {counts, loss, zero}, x->type.type);
  return reducedLoss(call, loss, build.map(Op::Where, {counts, share, zero}, x->type.type));
}

NetNode *likelihood(Call &call) {
  return likelihoodOf(call, classesLast(call.build, call.tensor("self")), call.tensor("target"));
}

/// Of classes, some of which may be left out, or of probabilities.
NetNode *crossEntropy(Call &call) {
  Builder &build = call.build;
  NetNode *x = classesLast(build, call.tensor("self")), *target = call.tensor("target"),
          *weight = call.tensorIf("weight");
  double smoothing = call.real("label_smoothing");
  int last = x->rank() - 1;
  if (!target->isReal() && !weight && smoothing == 0) {
    double ignored = double(call.integer("ignore_index", -100));
    NetNode *loss = build.make(Op::CrossEntropy, {x, target}, {x->type.type, target->shape()}, {.number = ignored});
    NetNode *counts = build.compare(Op::NotEqual, target, build.number(ignored, ElementType::I64));
    return reducedLoss(call, loss, build.convert(counts, x->type.type));
  }
  NetNode *logs = build.make(Op::LogSoftmax, {x}, x->type, {.dim = last});
  if (!target->isReal())
    return likelihoodOf(call, logs, target);
  if (smoothing != 0)
    throw CannotImport("a cross entropy of probabilities with smoothing");
  NetNode *each = build.map(Op::Mul, {logs, classesLast(build, target)});
  each = weight ? build.map(Op::Mul, {each, weight}) : each;
  Shape shape = x->shape().part(0, size_t(last));
  NetNode *loss = build.map(Op::Negate, {build.reduce(Op::Sum, each, {last}, {x->type.type, shape})});
  // The mean is over all but the classes.
  return reduced(call, loss);
}

} // namespace

Handler plc::import::findLossHandler(const std::string &name) {
  if (name == "cross_entropy_loss")
    return crossEntropy;
  return name.starts_with("nll_loss") && !name.ends_with("backward") ? likelihood : Handler();
}
