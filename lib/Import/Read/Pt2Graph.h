//===- Pt2Graph.h - the graph in the JSON of a .pt2 -------------*- C++ -*-===//
#ifndef PLC_IMPORT_READ_PT2GRAPH_H
#define PLC_IMPORT_READ_PT2GRAPH_H

#include "plc/Import/Graph.h"
#include "plc/Support/JsonNode.h"

namespace plc::import {

/// Reads an `ExportedProgram` of schema 8. Throws ReadError, and JsonPathError where a value of the JSON has another
/// type.
Graph readPt2Graph(const JsonNode &program);

/// The inputs of a `GraphModule` that are tensors, as its signature names them. Throws ReadError for custom objects.
std::vector<Input> readPt2Inputs(const JsonNode &module);
/// Its outputs that are tensors. Those of a mapping have their keys, joined by points, as paths. Throws ReadError if
/// the model writes to its inputs or parameters.
std::vector<Output> readPt2Outputs(const JsonNode &module);

/// Those of the body of a loop, which has no signature.
std::vector<Input> readPt2BodyInputs(const JsonNode &graph);
std::vector<Output> readPt2BodyOutputs(const JsonNode &graph);

} // namespace plc::import

#endif
