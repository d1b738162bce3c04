//===- CutBound.cpp - how fast a cut can be at best ------------------------===//
#include "Base/Flow.h"

#include "plc/Planner/Base/Order.h"
#include "plc/Planner/Cuts/Partition.h"

#include <algorithm>
#include <limits>

using namespace plc::planner;

namespace {

constexpr size_t mostParts = 20000; // beyond them, the sets of all that comes before each would be too large

// If the slowest rank took T, a part could be in stage s only if what must come before it fits in the stages up to s, and
// what must come behind it in those from s on. So in most graphs most parts have few stages left, or none: then T is too
// little. Of the parts that may be on either side of a boundary between two stages, the least transfers that part them are a
// minimum cut. A tensor that may cross m boundaries counts with the m-th part of its time at each, so that it counts at most
// once in all; and T is too little for all ranks if they cannot take the work and these transfers.
class FlowBound {
public:
  explicit FlowBound(const PartitionProblem &problem)
      : problem(problem), count(problem.parts.size()), edges(problem.orders()), ahead(count), behind(count),
        numAhead(count), numBehind(count), first(count), last(count), node(count) {
    sumClosures();
    for (const PartitionProblem::Part &part : problem.parts)
      total += part.ns;
  }

  /// The least T from `least` on that is not too little, or a value below it that is known to be one.
  int64_t solve(int64_t least) {
    if (!isTooLittle(least))
      return least;
    // Transfers that part fewer parts are no more: `most` is not too little if the windows allow it.
    int64_t low = least, most = std::max(least, (total + crossing) / problem.stages() + 1);
    while (isTooLittle(most)) {
      low = most;
      most += std::max<int64_t>(most / 8, 1);
    }
    // A thousandth of the bound is worth no further cut.
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

  // Work and number of all that must come before each part, and behind it, the part included.
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

  bool isTooLittle(int64_t time) {
    crossing = 0;
    if (time <= 0)
      return total > 0;
    // No stage is empty, so those before a part's have parts that need not come behind it.
    int64_t final = problem.stages() - 1;
    for (int64_t part = 0; part < count; ++part) {
      first[part] = std::max({(ahead[part] - 1) / time, final - (count - numAhead[part]), int64_t(0)});
      last[part] = std::min({final - std::max<int64_t>(behind[part] - 1, 0) / time, count - numBehind[part], final});
      if (first[part] > last[part])
        return true;
    }
    spreadTensors();
    // Once the transfers are too many, further boundaries tell nothing more.
    int64_t room = problem.stages() * time - total;
    for (int64_t boundary = 1; boundary < problem.stages() && crossing <= room; ++boundary)
      crossing += leastCrossing(boundary);
    return crossing > room;
  }

  // For each boundary the tensors that may cross it, and what they count with there.
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

  // The stages before a boundary are the source's side.
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
        network.addEdge(node[b], node[a], never);
    for (const Spread &spread : at[boundary])
      addTensor(network, spread, nodes);
    std::vector<bool> side;
    return network.minimumCut(source, sink, side);
  }

  // Counts if the producer is on one side and a consumer on the other: with several consumers once, by a node that is
  // joined to all of them, for each direction.
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
  std::vector<int64_t> ahead, behind; ///< ns, by part
  std::vector<int64_t> numAhead, numBehind;
  std::vector<int64_t> first, last; ///< stages that a part may be in
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
  bool isApart = ranks == stages(); // a rank for each stage, so that the stages before a boundary are ranks
  return isApart && parts.size() <= mostParts ? FlowBound(*this).solve(least) : least;
}
