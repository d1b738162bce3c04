//===- Segments.cpp - which operators become which layer ------------------===//
#include "Rules/Segments.h"

#include <algorithm>
#include <map>
#include <set>

using namespace plc;
using namespace plc::import;

std::string plc::import::modulePath(const NetNode *node) {
  std::string path;
  if (node->source)
    for (const ModuleFrame &frame : node->source->modules)
      if (frame.path.size() >= path.size())
        path = frame.path;
  return path;
}

/// The path up to its first number behind `begin`; empty if it has none.
static std::string numberedFrom(const std::string &path, size_t begin) {
  for (; begin < path.size(); begin = path.find('.', begin) + 1) {
    size_t end = std::min(path.find('.', begin), path.size());
    if (std::all_of(path.begin() + begin, path.begin() + end, [](char c) { return c >= '0' && c <= '9'; }))
      return path.substr(0, end);
    if (end == path.size())
      break;
  }
  return "";
}

static std::string typeOf(const NetNode *node, const std::string &block) {
  if (node->source)
    for (const ModuleFrame &frame : node->source->modules)
      if (frame.path == block)
        return frame.type;
  return "";
}

/// Whether a block is a single module of PyTorch, as the elements of a plain Sequential are.
static bool isPlainModule(const NetNode *node, const std::string &block) {
  std::string type = typeOf(node, block);
  return type.starts_with("torch.nn.modules.") && !type.starts_with("torch.nn.modules.container");
}

static std::string listOf(const std::string &block) {
  size_t point = block.rfind('.');
  return point == std::string::npos ? "" : block.substr(0, point);
}

static bool computes(const NetNode *node) { return !node->isLeaf() && !node->isMap(); }

namespace {
/// Elements of a list are blocks, `layers.0`. Those that hold nothing but another list of equal modules, as the stages
/// of a convolutional net do, are no blocks: the elements of that list are.
class Blocks {
public:
  explicit Blocks(const Net &net);
  /// The block's path; empty outside of lists.
  std::string of(const NetNode *node) const;

private:
  std::string innerOf(const NetNode *node, const std::string &block) const {
    return numberedFrom(modulePath(node), block.size() + 1);
  }
  bool isList(const std::string &block, const std::vector<const NetNode *> &nodes) const;

  std::set<std::string> lists;
};

class Finder {
public:
  explicit Finder(Net &net) : net(net), blocks(net) {}
  std::vector<Segment> run();

private:
  /// A norm or an activation behind another plain module of the same list belongs to its block.
  bool isPart(const NetNode *node, const std::string &block) const {
    return !block.empty() && !last.empty() && block != last && listOf(block) == listOf(last) &&
           isPlainModule(node, block) && !node->is(OpClass::Contraction) && node->op != Op::Convolution &&
           node->op != Op::ConvTranspose;
  }
  bool isUsedOutside(const NetNode *node, const std::string &block);
  int segment(const std::string &block, int run, const NetNode *node);
  int latestBefore(const NetNode *node) const;

  Net &net;
  const Blocks blocks;
  std::set<const NetNode *> dependent; // on an input
  std::vector<Segment> segments;
  std::map<std::pair<std::string, int>, int> numbers;
  std::string last;                      // the block of the operator before
  std::map<const NetNode *, int> latest; // the last segment that gives values to an operator, or is its own
  std::map<std::string, int> visits;     // of each block: one that is called again behind others is another segment
};
} // namespace

bool Blocks::isList(const std::string &block, const std::vector<const NetNode *> &nodes) const {
  std::set<std::string> kinds;
  for (const NetNode *node : nodes) {
    std::string inner = innerOf(node, block);
    if (inner.empty() || isPlainModule(node, inner) || typeOf(node, inner).empty())
      return false;
    kinds.insert(listOf(inner) + " " + typeOf(node, inner));
  }
  return kinds.size() == 1;
}

Blocks::Blocks(const Net &net) {
  for (bool isNew = true; isNew;) {
    isNew = false;
    std::map<std::string, std::vector<const NetNode *>> nodes;
    for (const NetNode *node : net.order)
      if (computes(node))
        nodes[of(node)].push_back(node);
    for (const auto &[block, inside] : nodes)
      isNew |= !block.empty() && isList(block, inside) && lists.insert(block).second;
  }
}

std::string Blocks::of(const NetNode *node) const {
  std::string block = numberedFrom(modulePath(node), 0);
  while (lists.contains(block)) {
    std::string inner = innerOf(node, block);
    if (inner.empty())
      break;
    block = inner;
  }
  return block;
}

/// Whether some operator that depends on an input and lies outside of the block uses the value, directly or not.
bool Finder::isUsedOutside(const NetNode *node, const std::string &block) {
  std::vector<const NetNode *> open = {node};
  std::set<const NetNode *> seen;
  while (!open.empty()) {
    const NetNode *next = open.back();
    open.pop_back();
    for (const NetNode *user : next->users) {
      if (!seen.insert(user).second)
        continue;
      if (!dependent.contains(user) || user->isMap())
        open.push_back(user);
      else if (blocks.of(user) != block)
        return true;
    }
  }
  return false;
}

int Finder::segment(const std::string &block, int run, const NetNode *node) {
  auto [known, isNew] = numbers.try_emplace({block, run}, int(segments.size()));
  if (isNew) {
    segments.push_back({block, typeOf(node, block), run});
  }
  return known->second;
}

int Finder::latestBefore(const NetNode *node) const {
  int segment = 0;
  for (const NetNode *operand : node->operands)
    if (auto known = latest.find(operand); known != latest.end() && !node->isLeaf())
      segment = std::max(segment, known->second);
  return segment;
}

std::vector<Segment> Finder::run() {
  for (const NetNode *node : net.order)
    if (node->op == Op::Input || node->op == Op::State || node->isDraw() ||
        (!node->isLeaf() && std::any_of(node->operands.begin(), node->operands.end(),
                                        [&](auto *operand) { return operand && dependent.contains(operand); })))
      dependent.insert(node);
  int run = 0;
  bool isInBlock = false;
  for (NetNode *node : net.order) {
    int from = dependent.contains(node) ? latest[node] = latestBefore(node) : 0;
    if (!computes(node))
      continue;
    std::string own = blocks.of(node), block = isPart(node, own) ? last : own;
    last = block;
    bool isHoisted = !block.empty() && !dependent.contains(node) && isUsedOutside(node, own);
    if (block.empty())
      run += std::exchange(isInBlock, false);
    else if (!isHoisted)
      isInBlock = true;
    if (isHoisted)
      block.clear();
    int &visit = block.empty() ? run : visits[block];
    while ((node->segment = segment(block, visit, node)) < from)
      ++visit;
    if (dependent.contains(node))
      latest[node] = node->segment;
  }
  return std::move(segments);
}

std::vector<Segment> plc::import::findSegments(Net &net) { return Finder(net).run(); }

/// What must be equal for two operators to be counterparts.
static std::string signatureOf(const NetNode *node) {
  std::string text = std::to_string(int(node->op)) + ":";
  for (int64_t extent : node->shape())
    text += std::to_string(extent) + ",";
  for (const NetNode *operand : node->operands)
    text += operand ? 'x' : '-';
  return text + ";";
}

static void unite(Atoms &atoms, const NetNode *a, const NetNode *b) {
  if (a == b || a->shape() != b->shape() || a->axes.size() != b->axes.size())
    return;
  for (size_t i = 0; i < a->axes.size(); ++i) {
    try {
      atoms.unify(a->axes[i], b->axes[i]);
    } catch (const Misaligned &) { // they keep sizes of their own
    }
  }
}

void plc::import::alignEqualBlocks(Net &net, const std::vector<Segment> &segments, Atoms &atoms) {
  const Blocks blocks(net);
  std::map<std::string, std::vector<NetNode *>> members;
  for (NetNode *node : net.order) {
    std::string block = node->isLeaf() ? "" : blocks.of(node);
    if (!block.empty() && (node->segment < 0 || segments[node->segment].block == block))
      members[block].push_back(node);
  }
  std::map<std::string, const std::vector<NetNode *> *> first;
  for (const auto &[block, nodes] : members) {
    std::string signature;
    for (const NetNode *node : nodes)
      signature += signatureOf(node);
    auto [known, isNew] = first.try_emplace(signature, &nodes);
    if (isNew)
      continue;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const NetNode *a = (*known->second)[i], *b = nodes[i];
      unite(atoms, a, b);
      for (size_t k = 0; k < a->operands.size(); ++k)
        if (a->operands[k])
          unite(atoms, a->operands[k], b->operands[k]);
    }
  }
}
