//===- Scatter.cpp - writes at computed positions, by name ----------------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {
/// At the positions that an index has along an axis, the source; elsewhere as before. Of equal positions PyTorch
/// promises nothing.
NetNode *scatter(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self"), *index = call.tensor("index"),
          *source = call.tensor(call.has("value") ? "value" : "src");
  int dim = call.dim("dim", x->rank()), rank = x->rank();
  for (int i = 0; i < rank; ++i)
    if (i != dim && index->extent(i) != x->extent(i))
      throw CannotImport("a scatter to a part of the other axes");
  // The index's axis stands last, behind the axis that it names positions of.
  Shape column(rank + 1, 1);
  column[dim] = x->extent(dim);
  auto inLast = [&](NetNode *tensor) { return build.transpose(build.unsqueeze(tensor, rank), dim, rank); };
  NetNode *is = build.compare(Op::Equal, inLast(index), build.view(build.arange(x->extent(dim)), column));
  NetNode *any = build.reduce(Op::Any, is, {rank}, {ElementType::Bool, x->shape()});
  if (source->rank()) {
    source = build.map(Op::Where, {is, inLast(source), build.number(0, source->type.type)}, source->type.type);
    source = build.reduce(Op::Sum, source, {rank}, x->type);
  }
  return build.make(Op::Where, {any, source, x}, x->type);
}

/// What a reduction begins at.
double neutralOf(Op op) { return op == Op::MaxOf ? -infinity : op == Op::MinOf ? infinity : op == Op::Prod ? 1 : 0; }

/// x with the source joined to the elements at `indices`, one for each axis or null. In a tensor of what `op` begins
/// at, as the language has it; then with x.
NetNode *joinAt(Builder &build, NetNode *x, Nodes indices, NetNode *source, Op op) {
  Nodes operands = {source};
  operands.insert(operands.end(), indices.begin(), indices.end());
  operands.resize(size_t(x->rank()) + 1);
  NetNode *joined = build.make(Op::Scatter, operands, x->type, {.ints = {int64_t(op)}, .number = neutralOf(op)});
  if (numberOf(x) == neutralOf(op))
    return joined;
  switch (op) {
  case Op::MaxOf: return build.map(Op::Maximum, {x, joined});
  case Op::MinOf: return build.map(Op::Minimum, {x, joined});
  case Op::Prod: return build.map(Op::Mul, {x, joined});
  default: return build.map(Op::Add, {x, joined});
  }
}

/// x with the source in place of the elements at `indices`. Of equal positions PyTorch promises nothing.
NetNode *putAt(Builder &build, NetNode *x, const Nodes &indices, NetNode *source) {
  TensorType counts{ElementType::F32, x->shape()};
  NetNode *none = build.make(Op::Full, {}, counts), *one = build.number(1, ElementType::F32);
  NetNode *isGiven =
      build.compare(Op::Greater, joinAt(build, none, indices, one, Op::Sum), build.number(0, ElementType::F64));
  if (!numberOf(source))
    source = joinAt(build, build.make(Op::Full, {}, x->type), indices, source, Op::Sum);
  return build.make(Op::Where, {isGiven, source, x}, x->type);
}

NetNode *indexPut(Call &call) {
  Nodes indices = call.tensorsIf("indices");
  NetNode *x = call.tensor("self"), *values = call.tensor("values");
  bool isMask = indices.size() == 1 && indices[0] && indices[0]->isBool();
  if (isMask && values->rank() == 0) { // elements where a mask holds
    Shape shape = indices[0]->shape();
    shape.resize(size_t(x->rank()), 1);
    return call.build.make(Op::Where, {call.build.view(indices[0], shape), values, x}, x->type);
  }
  for (const NetNode *index : indices)
    if (index && index->isBool())
      throw CannotImport("values at the elements of a mask, whose number depends on values");
  return call.truth("accumulate") ? joinAt(call.build, x, indices, values, Op::Sum)
                                  : putAt(call.build, x, indices, values);
}

/// An index of all elements along one axis, as indices of each axis.
Nodes alongAxis(Builder &build, NetNode *x, NetNode *index, int dim) {
  Nodes indices;
  for (int i = 0; i < x->rank(); ++i) {
    Shape column(size_t(x->rank() - i), 1);
    column[0] = index->extent(i);
    indices.push_back(i == dim ? index : build.view(build.arange(index->extent(i)), column));
  }
  return indices;
}

/// By the name of the reduction, where there is one.
NetNode *scatterJoin(Call &call) {
  static const std::unordered_map<std::string, Op> reductions = {
      {"", Op::Sum},       {"sum", Op::Sum},   {"add", Op::Sum},      {"amax", Op::MaxOf},
      {"amin", Op::MinOf}, {"prod", Op::Prod}, {"multiply", Op::Prod}};
  auto op = reductions.find(call.text("reduce"));
  if (op == reductions.end())
    throw CannotImport("a scatter by '" + call.text("reduce") + "'");
  NetNode *x = call.tensor("self"), *index = call.tensor("index"), *source = call.tensor("src");
  if (!call.truth("include_self", true))
    throw CannotImport("a scatter without the elements that were there");
  for (int i = 0; i < source->rank(); ++i)
    source = call.build.slice(source, i, 0, index->extent(i));
  return joinAt(call.build, x, alongAxis(call.build, x, index, call.dim("dim", x->rank())), source, op->second);
}

/// Slices along an axis, at the positions of a vector.
NetNode *indexJoin(Call &call, bool isAdded) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self"), *source = call.tensor("source"), *index = call.tensor("index");
  int dim = call.dim("dim", x->rank());
  if (double alpha = call.real("alpha", 1); alpha != 1)
    source = build.map(Op::Mul, {source, build.number(alpha, ElementType::F64)});
  Nodes indices(dim + 1);
  indices[dim] = index;
  if (isAdded)
    return joinAt(build, x, indices, source, Op::Sum);
  // A choice between the old and the new elements: of one position, a row that is written in place.
  int64_t count = index->rank() ? index->extent(0) : 1;
  Shape column(size_t(x->rank() - dim) + 1, 1), any(size_t(x -> rank() - dim), 1);
  column[0] = any[0] = x->extent(dim);
  column[1] = count;
  NetNode *rows = build.unsqueeze(build.arange(column[0]), 1);
  NetNode *is = build.view(build.compare(Op::Equal, rows, build.view(index, {count})), column);
  if (count > 1) {
    source =
        build.map(Op::Where, {is, build.unsqueeze(source, dim), build.number(0, source->type.type)}, source->type.type);
    source = build.reduce(Op::Sum, source, {dim + 1}, x->type);
  }
  return build.make(Op::Where, {build.reduce(Op::Any, is, {1}, {ElementType::Bool, any}), source, x}, x->type);
}

const std::unordered_map<std::string_view, Handler> scatterOps = {
    {"scatter", scatter},
    {"index_put", indexPut},
    {"scatter_add", scatterJoin},
    {"scatter_reduce", scatterJoin},
    {"index_add", [](Call &c) { return indexJoin(c, true); }},
    {"index_copy", [](Call &c) { return indexJoin(c, false); }}};
} // namespace

Handler plc::import::findScatterHandler(const std::string &name) {
  auto found = scatterOps.find(name);
  return found == scatterOps.end() ? Handler() : found->second;
}
