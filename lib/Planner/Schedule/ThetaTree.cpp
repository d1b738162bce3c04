//===- ThetaTree.cpp - earliest ends of sets of jobs ----------------------===//
#include "ThetaTree.h"

#include <algorithm>

using namespace plc::planner;

ThetaTree::ThetaTree(size_t jobs) {
  while (leaves < jobs)
    leaves *= 2;
  nodes.resize(2 * leaves);
}

// A node joins two parts: it ends when the later part does, which starts by itself or behind the earlier part. With an
// optional job, that job is in one of the parts.
void ThetaTree::put(int64_t job, Node leaf) {
  size_t at = leaves + job;
  nodes[at] = leaf;
  while (at /= 2) {
    const Node &left = nodes[2 * at], &right = nodes[2 * at + 1];
    Node &node = nodes[at];
    // Each field follows from the children: time of all jobs; earliest end; the same two with one optional job, and
    // which job that is. The default takes the optional job from the right child.
    node = {left.ns + right.ns,
            std::max(right.end, left.end + right.ns),
            left.ns + right.nsWithOne,
            right.endWithOne,
            right.ofNs,
            right.ofEnd};
    // The optional job of the left child, if that takes as long or longer.
    if (left.nsWithOne + right.ns >= node.nsWithOne) {
      node.nsWithOne = left.nsWithOne + right.ns;
      node.ofNs = left.ofNs;
    }
    if (left.endWithOne + right.ns > node.endWithOne) {
      node.endWithOne = left.endWithOne + right.ns;
      node.ofEnd = left.ofEnd;
    }
    // The optional job only adds time on the right, behind the end of the left child.
    if (left.end + right.nsWithOne > node.endWithOne) {
      node.endWithOne = left.end + right.nsWithOne;
      node.ofEnd = right.ofNs;
    }
  }
}
