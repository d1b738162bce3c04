//===- Pt2Graph.h - the graph in the JSON of a .pt2 -------------*- C++ -*-===//
#ifndef PLC_IMPORT_READ_PT2GRAPH_H
#define PLC_IMPORT_READ_PT2GRAPH_H

#include "plc/Import/Graph.h"
#include "plc/Support/JsonNode.h"

namespace plc::import {

/// Reads an `ExportedProgram` of schema 8. Throws ReadError, and JsonPathError where a value of the JSON has another
/// type.
Graph readPt2Graph(const JsonNode &program);

} // namespace plc::import

#endif
