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
      : problem(problem), count(problem.nodes.size()), edges(problem.orders()), ahead(count), behind(count),
        numAhead(count), numBehind(count), first(count), last(count), vertex(count) {
    sumClosures();
    for (const PartitionProblem::Node &node : problem.nodes)
      total += node.ns;
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
    // In topological order, so that closures of all nodes before are complete.
    for (int64_t node : order) {
      std::vector<uint64_t> &set = closure[node];
      for (int64_t other : before[node])
        for (size_t word = 0; word < words; ++word)
          set[word] |= closure[other][word];
      set[node / 64] |= uint64_t(1) << node % 64;
      for (size_t word = 0; word < words; ++word)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1) {
          int64_t other = int64_t(word) * 64 + __builtin_ctzll(bits);
          ahead[node] += problem.nodes[other].ns;
          behind[other] += problem.nodes[node].ns;
          ++numAhead[node];
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
    for (int64_t node = 0; node < count; ++node) {
      first[node] = std::max({(ahead[node] - 1) / time, final - (count - numAhead[node]), int64_t(0)});
      last[node] = std::min({final - std::max<int64_t>(behind[node] - 1, 0) / time, count - numBehind[node], final});
      if (first[node] > last[node])
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
      for (int64_t node : tensor.consumers) {
        least = std::min(least, first[node]);
        most = std::max(most, last[node]);
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
    int64_t vertices = 2;
    for (int64_t node = 0; node < count; ++node)
      vertex[node] = last[node] < boundary ? source : first[node] >= boundary ? sink : vertices++;
    int64_t joints = 0;
    for (const Spread &spread : at[boundary])
      joints += spread.tensor->consumers.size() > 1 ? 2 : 0;
    FlowNetwork network(vertices + joints);
    for (auto [a, b] : edges)
      if (vertex[a] > sink && vertex[b] > sink)
        network.addEdge(vertex[b], vertex[a], never); // b before the boundary means a is, too
    for (const Spread &spread : at[boundary])
      addTensor(network, spread, vertices);
    std::vector<bool> side;
    return network.minimumCut(source, sink, side);
  }

  // Adds a tensor to the network. It costs once if its producer and some consumer are on different sides: with several
  // consumers by a joint node in each direction.
  void addTensor(FlowNetwork &network, const Spread &spread, int64_t &vertices) {
    const PartitionProblem::Tensor &tensor = *spread.tensor;
    int64_t producer = vertex[tensor.producer];
    bool isJoined = tensor.consumers.size() > 1;
    int64_t there = isJoined ? vertices++ : vertex[tensor.consumers[0]], back = isJoined ? vertices++ : there;
    addEdge(network, producer, there, spread.ns);
    if (!tensor.forward)
      addEdge(network, back, producer, spread.ns);
    for (int64_t node : tensor.consumers)
      if (isJoined) {
        addEdge(network, there, vertex[node], never);
        addEdge(network, vertex[node], back, never);
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
  std::vector<int64_t> vertex;
  std::vector<std::vector<Spread>> at; ///< by boundary: the first stage behind it
  int64_t crossing = 0;                ///< ns, of the boundaries that were looked at
};

} // namespace

int64_t PartitionProblem::bound() const {
  int64_t total = 0, largest = 0, ranks = numRanks();
  for (const Node &node : nodes) {
    total += node.ns;
    largest = std::max(largest, node.ns);
  }
  int64_t least = std::max((total + ranks - 1) / ranks, largest);
  bool isApart = ranks == stages(); // only then the stages before a boundary are ranks of their own
  return isApart && nodes.size() <= mostParts ? FlowBound(*this).solve(least) : least;
}
