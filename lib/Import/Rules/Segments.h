//===- Segments.h - which operators become which layer ----------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_RULES_SEGMENTS_H
#define PLC_LIB_IMPORT_RULES_SEGMENTS_H

#include "Net/Net.h"

namespace plc::import {

/// A block, or a run of operators between blocks.
struct Segment {
  std::string block;  // the path of the module that is an element of a list: "h.0"; empty: a run
  std::string module; // the block's class
  int run = 0;        // the number of a run, or of a block's visit
};

/// Puts each operator that computes into a segment: a block is the outermost list element in its modules that is not
/// itself a list of equal modules. What depends on no input but is used outside of its block goes to the run before.
/// Segments come in the order of their computation.
std::vector<Segment> findSegments(Net &net);
/// Unites the axes of blocks of equal operators and shapes, so that their sizes have one name.
void alignEqualBlocks(Net &net, const std::vector<Segment> &segments, Atoms &atoms);
/// The path of the innermost module of an operator.
std::string modulePath(const NetNode *node);

} // namespace plc::import

#endif
