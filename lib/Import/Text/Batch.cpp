//===- Batch.cpp - the axis of samples ------------------------------------===//
// Samples are independent if each operator keeps their axis, and computes each element of it from that element alone.
// A loss may be a sum over all samples.
#include "Text/Batch.h"

#include "Text/LayerText.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

namespace {
class MixFinder {
public:
  MixFinder(const Net &net, Atom *batch) : net(net), batch(find(batch)) {}
  void run(Batch &result);

private:
  size_t count(const Axis &axis) const {
    Axis leaves = flat(axis);
    return size_t(std::count(leaves.begin(), leaves.end(), batch));
  }
  size_t count(const NetNode *node) const { return node ? count(flat(node->axes)) : 0; }
  bool reducesTo(const NetNode *node) const;
  std::string whyOf(const NetNode *node) const;
  std::string whyOfAxis(const NetNode *node) const;

  const Net &net;
  Atom *batch;
  std::set<const NetNode *> totals; // sums over all samples, and what is computed of these
};
} // namespace

/// Whether a sum over samples is a number, as of a loss.
bool MixFinder::reducesTo(const NetNode *node) const {
  return flat(node->axes).empty() && (node->op == Op::Sum || node->op == Op::Mean);
}

/// Of operators that treat one of their operand's axes as a whole.
std::string MixFinder::whyOfAxis(const NetNode *node) const {
  const NetNode *x = node->operand(0);
  auto isOn = [&](int dim) { return x && dim < x->rank() && count(x->axes[dim]) > 0; };
  auto isBehind = [&](int first) {
    bool found = false;
    for (int dim = first; x && dim < x->rank(); ++dim)
      found |= isOn(dim);
    return found;
  };
  switch (node->op) {
  case Op::Softmax:
  case Op::LogSoftmax:
  case Op::Running:
  case Op::TopK:
  case Op::ArgMax:
  case Op::PickedBest:
  case Op::Gather:
  case Op::Cat: return isOn(node->dim) ? "it goes along samples" : "";
  case Op::Select: return isOn(node->dim) ? "it chooses a sample by its number" : "";
  case Op::Slice: return isOn(node->dim) && node->tile.kind != Tile::Whole ? "it chooses samples by their numbers" : "";
  case Op::LayerNorm: return isBehind(x->rank() - int(node->ints[0])) ? "it normalizes over samples" : "";
  case Op::RmsNorm: return isBehind(x->rank() - 1) ? "it normalizes over samples" : "";
  case Op::GroupNorm:
  case Op::Convolution:
  case Op::PatchConv:
  case Op::ConvTranspose:
  case Op::Lstm:
  case Op::Gru: return isBehind(1) ? "samples are not its axis 0" : "";
  case Op::MaxPool:
  case Op::MeanPool: return isBehind(x->rank() - 2) ? "its windows go over samples" : "";
  case Op::Matmul: return count(x->axes.back()) ? "it sums over samples" : "";
  default: return "";
  }
}

std::string MixFinder::whyOf(const NetNode *node) const {
  if (node->op == Op::Parameter && count(node))
    return "it has an element for each sample";
  if (node->isLeaf())
    return "";
  if (count(node) > 1)
    return "its result has samples on two axes";
  if (std::string why = whyOfAxis(node); !why.empty())
    return why;
  bool hasSamples = false;
  for (const NetNode *operand : node->operands) {
    hasSamples |= count(operand) > 0;
    if (count(node) && totals.contains(operand))
      return "it uses a sum over all samples for each one";
  }
  return !hasSamples || count(node) || reducesTo(node) ? "" : "its result has no axis of samples";
}

void MixFinder::run(Batch &result) {
  for (const NetNode *node : net.order) {
    result.why = whyOf(node);
    if (!result.why.empty()) {
      result.mixing = node;
      return;
    }
    if (node->isLeaf() || count(node))
      continue;
    for (const NetNode *operand : node->operands)
      if (count(operand) || totals.contains(operand))
        totals.insert(node);
  }
}

/// The atom of an axis that is one.
static Atom *atomOf(const NetNode *input, int64_t axis) {
  std::string place = "axis " + std::to_string(axis) + " of '" + inputName(input) + "'";
  if (axis < 0 || axis >= input->rank())
    throw CannotImport("--batch names " + place + ", which has " + std::to_string(input->rank()) +
                       (input->rank() == 1 ? " axis" : " axes"));
  Axis leaves = flat(input->axes[size_t(axis)]);
  if (leaves.empty())
    throw CannotImport("--batch names " + place + ", which had one element at export; export with 2 or more");
  if (leaves.size() > 1)
    throw CannotImport("--batch names " + place + ", which the model divides");
  return leaves[0];
}

Batch plc::import::findBatch(const Net &net, const std::optional<BatchOption> &given) {
  Batch batch;
  std::string names;
  for (const NetNode *input : net.inputs) {
    std::string name = inputName(input);
    names += (names.empty() ? "" : ", ") + name;
    if (batch.atom || (given ? name != given->input : !input->rank() || input->axes[0].empty()))
      continue;
    int64_t axis = given ? given->axis : 0;
    batch.atom = given ? atomOf(input, axis) : flat(input->axes[0])[0];
    batch.input = "axis " + std::to_string(axis) + " of '" + name + "'";
  }
  if (given && !batch.atom)
    throw CannotImport("--batch names the input '" + given->input + "', but the model has " + names);
  if (batch.atom)
    MixFinder(net, batch.atom).run(batch);
  for (auto [kept, next] : net.states)
    if (kept->op == Op::Parameter && batch.atom && !batch.mixing) {
      batch.mixing = next;
      batch.why = "a step replaces '" + kept->name + "' by a value of the whole batch";
    }
  if (given && batch.mixing)
    throw CannotImport("samples along " + batch.input + " are not independent: " + batch.why, batch.mixing);
  return batch;
}
