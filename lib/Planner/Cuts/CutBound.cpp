//===- CutBound.cpp - a lower bound of the slowest rank -------------------===//
#include "Base/Flow.h"

#include "plc/Planner/Base/Order.h"
#include "plc/Planner/Cuts/Partition.h"

#include <algorithm>
#include <limits>

using namespace plc::planner;

namespace {

constexpr size_t mostParts = 20000; // the closures take a bit for each pair of nodes: 50 MB at this limit

// Finds the least time T that cannot be refuted. For a given T:
//
// 1. Windows. All nodes that must precede a node fit into the stages up to its own, and all that must follow it into
// those from its own on. So in most graphs most nodes have few possible stages. If one has none, T is refuted.
//
// 2. Transfers. At each boundary between stages, some nodes may be on either side. The least transfers that separate
// them are a minimum cut. A tensor that may cross m boundaries counts with an m-th of its time at each, so at most once
// in all. If all ranks together cannot take the work and these transfers, T is refuted.
//
// Why the least time and not the least transfers: without balance a cut separates almost nothing (Rationale of the plan
// dialect).
class FlowBound {
public:
  explicit FlowBound(const PartitionProblem &problem)
      : problem(problem), count(problem.parts.size()), edges(problem.orders()), ahead(count), behind(count),
        numAhead(count), numBehind(count), first(count), last(count), node(count) {
    sumClosures();
    for (const PartitionProblem::Part &part : problem.parts)
      total += part.ns;
  }

  /// The least T from `least` on that is not refuted, or a refuted value close below it.
  int64_t solve(int64_t least) {
    if (!isTooLittle(least))
      return least;
    // A first guess. A T that is not refuted bounds the answer from above; the steps grow until one is found.
    int64_t low = least, most = std::max(least, (total + crossing) / problem.stages() + 1);
    while (isTooLittle(most)) {
      low = most;
      most += std::max<int64_t>(most / 8, 1);
    }
    // Bisection to a thousandth of the bound, since each test is a series of minimum cuts.
    while (most - low > std::max<int64_t>(low / 1000, 1)) {
      int64_t middle = low + (most - low) / 2;
      (isTooLittle(middle) ? low : most) = middle;
    }
    return low + 1;
  }

private:
  static constexpr int64_t source = 0, sink = 1, never = std::numeric_limits<int64_t>::max() / 4;
  struct Spread {
    const PartitionProblem::Tensor *tensor;
    int64_t ns;
  };

  // By node: work and number of the nodes that must precede or follow it, the node included. Closures are sets of bits.
  void sumClosures() {
    std::vector<std::vector<int64_t>> before(count);
    for (auto [a, b] : edges)
      before[b].push_back(a);
    size_t words = (size_t(count) + 63) / 64;
    std::vector<std::vector<uint64_t>> closure(count, std::vector<uint64_t>(words));
    std::vector<int64_t> order;
    sortTopologically(count, edges, order);
    for (int64_t part : order) {
      std::vector<uint64_t> &set = closure[part];
      for (int64_t other : before[part])
        for (size_t word = 0; word < words; ++word)
          set[word] |= closure[other][word];
      set[part / 64] |= uint64_t(1) << part % 64;
      for (size_t word = 0; word < words; ++word)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1) {
          int64_t other = int64_t(word) * 64 + __builtin_ctzll(bits);
          ahead[part] += problem.parts[other].ns;
          behind[other] += problem.parts[part].ns;
          ++numAhead[part];
          ++numBehind[other];
        }
    }
  }

  // Whether T = `time` is refuted.
  bool isTooLittle(int64_t time) {
    crossing = 0;
    if (time <= 0)
      return total > 0;
    // The stages before a node's stage are not empty either, so they need nodes that do not have to follow it.
    int64_t final = problem.stages() - 1;
    for (int64_t part = 0; part < count; ++part) {
      first[part] = std::max({(ahead[part] - 1) / time, final - (count - numAhead[part]), int64_t(0)});
      last[part] = std::min({final - std::max<int64_t>(behind[part] - 1, 0) / time, count - numBehind[part], final});
      if (first[part] > last[part])
        return true;
    }
    spreadTensors();
    // Stop once the transfers are too many: further boundaries only add.
    int64_t room = problem.stages() * time - total;
    for (int64_t boundary = 1; boundary < problem.stages() && crossing <= room; ++boundary)
      crossing += leastCrossing(boundary);
    return crossing > room;
  }

  // For each boundary the tensors that may cross it, with their share of the time there.
  void spreadTensors() {
    at.assign(problem.stages(), {});
    for (const PartitionProblem::Tensor &tensor : problem.tensors) {
      int64_t least = first[tensor.producer], most = last[tensor.producer];
      for (int64_t part : tensor.consumers) {
        least = std::min(least, first[part]);
        most = std::max(most, last[part]);
      }
      bool mayCross = !tensor.consumers.empty() && most > least;
      if (int64_t ns = mayCross ? tensor.ns / (most - least) : 0)
        for (int64_t boundary = least + 1; boundary <= most; ++boundary)
          at[boundary].push_back({&tensor, ns});
    }
  }

  // The minimum cut at a boundary. Nodes that must be before it belong to the source, those behind it to the sink.
  int64_t leastCrossing(int64_t boundary) {
    if (at[boundary].empty())
      return 0;
    int64_t nodes = 2;
    for (int64_t part = 0; part < count; ++part)
      node[part] = last[part] < boundary ? source : first[part] >= boundary ? sink : nodes++;
    int64_t joints = 0;
    for (const Spread &spread : at[boundary])
      joints += spread.tensor->consumers.size() > 1 ? 2 : 0;
    FlowNetwork network(nodes + joints);
    for (auto [a, b] : edges)
      if (node[a] > sink && node[b] > sink)
        network.addEdge(node[b], node[a], never); // b before the boundary means a is, too
    for (const Spread &spread : at[boundary])
      addTensor(network, spread, nodes);
    std::vector<bool> side;
    return network.minimumCut(source, sink, side);
  }

  // Adds a tensor to the network. It costs once if its producer and some consumer are on different sides: with several
  // consumers by a joint node in each direction.
  void addTensor(FlowNetwork &network, const Spread &spread, int64_t &nodes) {
    const PartitionProblem::Tensor &tensor = *spread.tensor;
    int64_t producer = node[tensor.producer];
    bool isJoined = tensor.consumers.size() > 1;
    int64_t there = isJoined ? nodes++ : node[tensor.consumers[0]], back = isJoined ? nodes++ : there;
    addEdge(network, producer, there, spread.ns);
    if (!tensor.forward)
      addEdge(network, back, producer, spread.ns);
    for (int64_t part : tensor.consumers)
      if (isJoined) {
        addEdge(network, there, node[part], never);
        addEdge(network, node[part], back, never);
      }
  }

  static void addEdge(FlowNetwork &network, int64_t from, int64_t to, int64_t capacity) {
    if (from != to && from != sink && to != source)
      network.addEdge(from, to, capacity);
  }

  const PartitionProblem &problem;
  int64_t count, total = 0;
  Edges edges;
  std::vector<int64_t> ahead, behind; ///< ns, by node
  std::vector<int64_t> numAhead, numBehind;
  std::vector<int64_t> first, last; ///< range of stages, by node
  std::vector<int64_t> node;
  std::vector<std::vector<Spread>> at; ///< by boundary: the first stage behind it
  int64_t crossing = 0;                ///< ns, of the boundaries that were looked at
};

} // namespace

int64_t PartitionProblem::bound() const {
  int64_t total = 0, largest = 0, ranks = numRanks();
  for (const Part &part : parts) {
    total += part.ns;
    largest = std::max(largest, part.ns);
  }
  int64_t least = std::max((total + ranks - 1) / ranks, largest);
  bool isApart = ranks == stages(); // only then the stages before a boundary are ranks of their own
  return isApart && parts.size() <= mostParts ? FlowBound(*this).solve(least) : least;
}
