//===- PrintGraph.h - an imported graph as text -----------------*- C++ -*-===//
#ifndef PLC_IMPORT_PRINTGRAPH_H
#define PLC_IMPORT_PRINTGRAPH_H

#include "plc/Import/Graph.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace plc::import {

/// "f32[2, 3]".
std::string textOf(const TensorType &type);

/// "%x", "[1, 2]"; a real in its shortest form that is read as the same.
std::string textOf(const Argument &argument);

/// A line for each input, node and output, bodies indented. For people and tests: there is no reader of it.
void printGraph(const ImportedModel &model, llvm::raw_ostream &os);

} // namespace plc::import

#endif
