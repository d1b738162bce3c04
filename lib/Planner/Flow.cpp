//===- Flow.cpp - a minimum cut by blocking flows -------------------------===//
#include "Flow.h"

#include <algorithm>

using namespace plc::planner;

void FlowNetwork::addEdge(int64_t from, int64_t to, int64_t capacity) {
  edges.push_back({to, first[from], capacity, 0});
  first[from] = edges.size() - 1;
  edges.push_back({from, first[to], 0, 0});
  first[to] = edges.size() - 1;
}

void FlowNetwork::setCapacity(int64_t edge, int64_t capacity) { edges[2 * edge].capacity = capacity; }

int64_t FlowNetwork::minimumCut(int64_t source, int64_t sink, std::vector<bool> &withSource) {
  for (Edge &edge : edges)
    edge.left = edge.capacity;
  int64_t flow = 0;
  while (findLevels(source, sink)) {
    current = first;
    for (int64_t more = push(source, sink); more > 0; more = push(source, sink))
      flow += more;
  }
  withSource.assign(first.size(), false);
  for (size_t node = 0; node < first.size(); ++node)
    withSource[node] = level[node] >= 0;
  return flow;
}

bool FlowNetwork::findLevels(int64_t source, int64_t sink) {
  level.assign(first.size(), -1);
  level[source] = 0;
  std::vector<int64_t> queue{source};
  for (size_t at = 0; at < queue.size(); ++at)
    for (int64_t edge = first[queue[at]]; edge >= 0; edge = edges[edge].next)
      if (edges[edge].left > 0 && level[edges[edge].to] < 0) {
        level[edges[edge].to] = level[queue[at]] + 1;
        queue.push_back(edges[edge].to);
      }
  return level[sink] >= 0;
}

// A path to the sink along the levels, without recursion: chains of models are long.
int64_t FlowNetwork::push(int64_t source, int64_t sink) {
  std::vector<int64_t> path;
  for (int64_t node = source; node != sink;) {
    int64_t &edge = current[node];
    while (edge >= 0 && (edges[edge].left == 0 || level[edges[edge].to] != level[node] + 1))
      edge = edges[edge].next;
    if (edge >= 0) {
      path.push_back(edge);
      node = edges[edge].to;
      continue;
    }
    if (path.empty())
      return 0;
    level[node] = -2; // a dead end, until the next levels
    node = edges[path.back() ^ 1].to;
    path.pop_back();
  }
  int64_t least = INT64_MAX;
  for (int64_t edge : path)
    least = std::min(least, edges[edge].left);
  for (int64_t edge : path) {
    edges[edge].left -= least;
    edges[edge ^ 1].left += least;
  }
  return least;
}
