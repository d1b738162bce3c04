//===- Recurrent.cpp - LSTM, GRU and plain recurrences, by name -----------===//
// From zero states they are functions of the library; other forms are steps, one after another.
#include "Canon/Canon.h"

#include <algorithm>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {

/// One layer in one direction: weights of input and state by gate, and biases or null.
struct Weights {
  Op op;            // Lstm, Gru, Tanh or Relu
  NetNode *of[4]{}; // w, u, b, o
  int64_t gates() const { return op == Op::Lstm ? 4 : op == Op::Gru ? 3 : 1; }
  int64_t hidden() const { return of[1]->extent(1); }
};

NetNode *linear(Builder &build, NetNode *x, NetNode *weight, NetNode *bias) {
  return build.matmul(x, build.transpose(weight, 0, 1), {x->extent(0), weight->extent(0)}, bias);
}

/// The state, and of an LSTM the cell, after one step.
Nodes step(Builder &build, const Weights &weights, NetNode *x, const Nodes &states) {
  NetNode *h = states.at(0);
  NetNode *a = linear(build, x, weights.of[0], weights.of[2]), *b = linear(build, h, weights.of[1], weights.of[3]);
  auto gate = [&](NetNode *all, int64_t number) {
    return build.slice(all, 1, number * weights.hidden(), weights.hidden());
  };
  auto both = [&](Op op, int64_t number) {
    return build.map(op, {build.map(Op::Add, {gate(a, number), gate(b, number)})});
  };
  auto product = [&](NetNode *x, NetNode *y) { return build.map(Op::Mul, {x, y}); };
  if (weights.gates() == 1)
    return {both(weights.op, 0)};
  if (weights.op == Op::Lstm) {
    NetNode *kept = product(both(Op::Sigmoid, 1), states[1]), *added = product(both(Op::Sigmoid, 0), both(Op::Tanh, 2));
    NetNode *cell = build.map(Op::Add, {kept, added});
    return {product(both(Op::Sigmoid, 3), build.map(Op::Tanh, {cell})), cell};
  }
  NetNode *reset = product(both(Op::Sigmoid, 0), gate(b, 2));
  NetNode *next = build.map(Op::Tanh, {build.map(Op::Add, {gate(a, 2), reset})});
  return {build.map(Op::Add, {next, product(both(Op::Sigmoid, 1), build.map(Op::Sub, {h, next}))})};
}

/// By the library's function, which has weights by gate.
NetNode *ofLibrary(Builder &build, const Weights &weights, NetNode *x) {
  int64_t hidden = weights.hidden(), gates = weights.gates();
  auto byGate = [&](NetNode *weight) {
    return build.transpose(build.view(weight, {gates, hidden, weight->extent(1)}), 1, 2);
  };
  Shape shape = {gates, hidden};
  Nodes operands = {x, byGate(weights.of[0]), byGate(weights.of[1])};
  NetNode *b = weights.of[2], *o = weights.of[3];
  NetNode *none = b ? nullptr : build.make(Op::Full, {}, {x->type.type, shape});
  operands.push_back(!b                       ? none
                     : weights.op == Op::Lstm ? build.view(build.map(Op::Add, {b, o}), shape)
                                              : build.view(b, shape));
  if (weights.op == Op::Gru)
    operands.push_back(o ? build.view(o, shape) : none);
  return build.make(weights.op, operands, {x->type.type, {x->extent(0), x->extent(1), hidden}});
}

/// Steps along axis 1, of few positions.
NetNode *unrolled(Builder &build, const Weights &weights, NetNode *x, Nodes &states) {
  constexpr int64_t mostSteps = 64;
  if (x->extent(1) > mostSteps)
    throw CannotImport("a recurrence of this kind over more than " + std::to_string(mostSteps) +
                       " positions; LSTM and GRU from zero states may be longer, if only their outputs are used");
  Nodes outputs;
  for (int64_t t = 0; t < x->extent(1); ++t) {
    states = step(build, weights, build.select(x, 1, t), states);
    outputs.push_back(build.unsqueeze(states[0], 1));
  }
  return build.cat(outputs, 1);
}

NetNode *recurrent(Call &call, Op op) {
  if (!call.has("input"))
    throw CannotImport("a recurrence over packed sequences");
  Builder &build = call.build;
  Nodes weights = call.tensors("params"), given = call.tensors("hx");
  if (given.empty())
    given = {call.tensor("hx")};
  bool hasBiases = call.truth("has_biases"), isBatchFirst = call.truth("batch_first");
  size_t each = hasBiases ? 4 : 2, directions = call.truth("bidirectional") ? 2 : 1,
         layers = size_t(call.integer("num_layers", 1));
  NetNode *x = call.tensor("input");
  if (weights.size() != layers * directions * each || weights.empty() || x->rank() != 3)
    throw CannotImport("a recurrence with projections, or of one sample without an axis for it");
  x = isBatchFirst ? x : build.transpose(x, 0, 1);
  bool isFromZero =
      std::all_of(given.begin(), given.end(), [](const NetNode *state) { return numberOf(state) == 0.0; });
  bool isOfLibrary = isFromZero && (op == Op::Gru || (op == Op::Lstm && !call.isUsed(2)));
  std::vector<Nodes> last(given.size()); // the states behind the last position, by layer and direction
  for (size_t layer = 0; layer < layers; ++layer) {
    Nodes outputs;
    for (size_t direction = 0; direction < directions; ++direction) {
      size_t index = layer * directions + direction;
      Weights of{op};
      std::copy_n(weights.begin() + index * each, each, of.of);
      NetNode *input = direction ? build.flip(x, 1) : x, *output = nullptr;
      Nodes states;
      for (NetNode *state : given)
        states.push_back(build.select(state, 0, int64_t(index)));
      output = isOfLibrary ? ofLibrary(build, of, input) : unrolled(build, of, input, states);
      if (isOfLibrary)
        states = {build.select(output, 1, -1), states.back()};
      for (size_t i = 0; i < given.size(); ++i)
        last[i].push_back(build.unsqueeze(states[i], 0));
      outputs.push_back(direction ? build.flip(output, 1) : output);
    }
    x = build.cat(outputs, 2);
    if (call.truth("train") && layer + 1 < layers)
      x = build.dropout(x, call.real("dropout"));
  }
  call.results[0] = isBatchFirst ? x : build.transpose(x, 0, 1);
  for (size_t i = 0; i < last.size() && i + 1 < call.results.size(); ++i)
    if (call.isUsed(i + 1))
      call.results[i + 1] = build.cat(last[i], 0);
  return nullptr;
}

NetNode *cell(Call &call, Op op) {
  Nodes states = call.tensors("hx");
  if (states.empty())
    states = {call.tensor("hx")};
  Nodes next =
      step(call.build, {op, {call.tensor("w_ih"), call.tensor("w_hh"), call.tensorIf("b_ih"), call.tensorIf("b_hh")}},
           call.tensor("input"), states);
  for (size_t i = 0; i < call.results.size(); ++i)
    call.results[i] = next.at(i);
  return nullptr;
}

const std::unordered_map<std::string_view, Op> kinds = {
    {"lstm", Op::Lstm}, {"gru", Op::Gru}, {"rnn_tanh", Op::Tanh}, {"rnn_relu", Op::Relu}};
} // namespace

Handler plc::import::findRecurrentHandler(const std::string &name) {
  bool isCell = name.ends_with("_cell");
  auto found = kinds.find(std::string_view(name).substr(0, name.size() - (isCell ? 5 : 0)));
  if (found == kinds.end())
    return Handler();
  return [isCell, op = found->second](Call &call) { return isCell ? cell(call, op) : recurrent(call, op); };
}
