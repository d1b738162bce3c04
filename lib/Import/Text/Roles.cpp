//===- Roles.cpp - what atoms count, by their uses ------------------------===//
#include "Text/Sizes.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

namespace {
/// Goes over the net; the first use that tells a role gives it.
class RoleFinder {
public:
  explicit RoleFinder(const Rules &rules) : rules(rules) {}
  void run(Atom *batch);

private:
  void put(const Axis &axis, Role role, bool isLast = true);
  void takeInputs();
  void takeTable(const NetNode *node);
  void takeProduct(NetNode *node);
  void takeHidden(NetNode *node, const Axis &axis);
  bool reads(const NetNode *node, const char *word) const;

  const Rules &rules;
};
} // namespace

void RoleFinder::put(const Axis &axis, Role role, bool isLast) {
  Axis leaves = flat(axis);
  if (leaves.empty())
    return;
  Atom *atom = isLast ? leaves.back() : leaves.front();
  if (atom->role == Role::None)
    atom->role = role;
}

void RoleFinder::takeInputs() {
  const std::vector<NetNode *> &inputs = rules.net.inputs;
  bool isSequence = false;
  for (const NetNode *input : inputs) {
    if (input->rank() == 2 && !input->isReal() && flat(input->axes[1]).size() == 1) {
      Atom *atom = flat(input->axes[1])[0];
      if (atom->role == Role::None)
        atom->role = std::exchange(isSequence, true) ? Role::Kinds : Role::Sequence;
    }
    if (input->rank() == 4)
      put(input->axes[1], Role::Channels, false);
  }
}

bool RoleFinder::reads(const NetNode *node, const char *word) const {
  return node->name.find(word) != std::string::npos;
}

/// A learned table: of positions, of token types, of distances.
void RoleFinder::takeTable(const NetNode *node) {
  const NetNode *table = belowMaps(node->operands[0]);
  Axis rows = flat(node->operands[0]->axes[0]);
  if (rows.size() != 1)
    return;
  Role &role = rows[0]->role;
  if ((role == Role::None || role == Role::Vocabulary) && (reads(table, "pos") || reads(table, "wpe")))
    role = Role::Positions;
  else if (role == Role::Vocabulary && (reads(table, "type") || reads(table, "segment")))
    role = Role::Kinds;
  else if (reads(table, "bias")) {
    role = Role::Buckets;
    for (Atom *leaf : flat(node->axes.back()))
      leaf->role = Role::Heads;
  }
}

/// Features that an activation or a gate reads.
void RoleFinder::takeHidden(NetNode *node, const Axis &axis) {
  for (const NetNode *user : rules.consumers(node))
    if (user && (user->op == Op::Gelu || user->op == Op::GeluTanh || user->op == Op::Silu || user->op == Op::Relu ||
                 user->op == Op::Mul))
      return put(axis, Role::Hidden);
}

void RoleFinder::takeProduct(NetNode *node) {
  NetNode *x = node->operands[0], *y = node->operands[1];
  auto isWeight = [](NetNode *operand) {
    NetNode *end = belowMaps(operand);
    bool isChosen = end->op == Op::Index || end->op == Op::Embedding;
    return end->op == Op::Parameter || (isChosen && belowMaps(end->operands[0])->op == Op::Parameter);
  };
  if (isWeight(x) || isWeight(y)) {
    Axis features = flat(isWeight(y) ? node->axes.back() : node->axes[1]);
    if (features.size() == 1 || !isWeight(y))
      takeHidden(node, features);
    return;
  }
  // Scores: heads in front, features of a head inside.
  Axis batch;
  for (int i = 0; i < node->rank() - 2; ++i)
    for (Atom *leaf : flat(node->axes[i]))
      if (leaf->role != Role::Batch)
        batch.push_back(leaf);
  if (batch.size() == 1)
    put({batch[0]}, Role::Heads);
  else if (batch.size() > 1) {
    put({batch[0]}, Role::Group);
    put({batch[1]}, Role::Joint);
  }
  Axis inner = flat(x->axes.back());
  bool isScore = std::any_of(node->users.begin(), node->users.end(), [](const NetNode *user) {
    return user->op == Op::Softmax || user->op == Op::Add || user->op == Op::Mul || user->op == Op::Where ||
           user->op == Op::Div;
  });
  put(inner, inner.size() == 1 ? Role::Key : Role::Rotated);
  if (!isScore)
    put(node->axes.back(), Role::Key);
}

void RoleFinder::run(Atom *batch) {
  if (batch)
    find(batch)->role = Role::Batch;
  for (NetNode *node : rules.net.order)
    if (node->op == Op::TopK) {
      put(node->axes[node->dim], Role::Active);
      put(node->operands[0]->axes[node->dim], Role::Experts);
    }
  takeInputs();
  for (NetNode *node : rules.net.order) {
    if (node->isLeaf())
      continue;
    switch (node->op) {
    case Op::Embedding:
    case Op::Index: takeTable(node); break;
    case Op::Matmul: takeProduct(node); break;
    case Op::PatchConv:
      for (int i = 2; i < node->rank(); ++i)
        put(node->operands[1]->axes[i], Role::Patch);
      put(node->operands[1]->axes[0], node->windows.kernel[0] == 1 ? Role::Wide : Role::Model, false);
      break;
    case Op::Softmax: put(node->axes[node->dim], Role::Sequence); break;
    case Op::Convolution:
      put(node->axes[1], Role::Wide, false);
      for (int i = 2; i < node->rank(); ++i)
        put(node->operands[1]->axes[i], Role::Window);
      break;
    default: break;
    }
  }
  if (rules.net.outputs.size() == 1 && rules.net.outputs[0]->rank() > 1 && rules.net.outputs[0]->isReal())
    put(rules.net.outputs[0]->axes.back(), Role::Vocabulary);
}

void plc::import::findRoles(const Rules &rules, Atom *batch) { RoleFinder(rules).run(batch); }
