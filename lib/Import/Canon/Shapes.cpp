//===- Shapes.cpp - operators that move, cut and join axes, by name -------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {
NetNode *view(Call &call) {
  NetNode *x = call.tensor("self");
  return x->shape() == call.shape() ? x : call.build.view(x, call.shape());
}

NetNode *permute(Call &call) {
  NetNode *x = call.tensor("self");
  return call.build.permute(x, call.dims("dims", x));
}

NetNode *transpose(Call &call) {
  NetNode *x = call.tensor("self");
  if (!call.has("dim0") && !call.has("axis0"))
    return x->rank() < 2 ? x : call.build.transpose(x, 0, 1);
  const char *first = call.has("dim0") ? "dim0" : "axis0", *second = call.has("dim1") ? "dim1" : "axis1";
  return call.build.transpose(x, call.dim(first, x->rank()), call.dim(second, x->rank()));
}

/// Axes `source` stand at `destination`, the others in their order.
NetNode *movedim(Call &call) {
  NetNode *x = call.tensor("self");
  Shape from = call.dims("source", x), to = call.dims("destination", x), dims(x->rank(), -1);
  for (size_t i = 0; i < from.size(); ++i)
    dims[size_t(to[i])] = from[i];
  int64_t next = 0;
  for (int64_t &dim : dims)
    if (dim < 0) {
      while (std::find(from.begin(), from.end(), next) != from.end())
        ++next;
      dim = next++;
    }
  return call.build.permute(x, dims);
}

NetNode *reverse(Call &call) {
  NetNode *x = call.tensor("self");
  Shape dims(x->rank());
  std::iota(dims.rbegin(), dims.rend(), 0);
  return call.build.permute(x, dims);
}

NetNode *slice(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank());
  int64_t extent = x->extent(dim), start = call.integer("start"), end = call.integer("end", extent),
          step = call.integer("step", 1);
  bool isFromEnd = start < 0, endsAtEnd = end < 0 || end >= extent;
  start = std::clamp<int64_t>(isFromEnd ? start + extent : start, 0, extent);
  return call.build.slice(x, dim, start, call.shape()[dim], step,
                          {.isFromEnd = isFromEnd, .isCut = !isFromEnd && endsAtEnd && step == 1});
}

NetNode *flip(Call &call) {
  NetNode *x = call.tensor("self");
  for (int64_t dim : call.dims("dims", x))
    x = call.build.flip(x, int(dim));
  return x;
}

NetNode *narrow(Call &call) {
  NetNode *x = call.tensor("self");
  return call.build.slice(x, call.dim("dim", x->rank()), call.integer("start"), call.integer("length"));
}

NetNode *select(Call &call) {
  NetNode *x = call.tensor("self");
  return call.build.select(x, call.dim("dim", x->rank()), call.integer("index"));
}

/// By lengths, by one length, or into a number of parts.
NetNode *split(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank());
  int64_t start = 0, extent = x->extent(dim), chunks = call.integer("chunks", 1);
  Shape lengths = call.integers(call.has("split_sizes") ? "split_sizes" : "split_size");
  if (lengths.empty())
    lengths = {Builder::ratio(extent + chunks - 1, chunks)};
  for (size_t i = 0; i < call.results.size(); ++i) {
    int64_t length = std::min(lengths.size() > 1 ? lengths[i] : lengths[0], extent - start);
    call.results[i] = call.build.slice(x, dim, start, length);
    start += length;
  }
  return nullptr;
}

/// Into equal parts, of which the first ones have one element more.
NetNode *tensorSplit(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank());
  int64_t start = 0;
  for (size_t i = 0; i < call.results.size(); ++i) {
    int64_t length =
        x->extent(dim) / int64_t(call.results.size()) + (int64_t(i) < x->extent(dim) % int64_t(call.results.size()));
    if (call.has("indices"))
      length = i < call.integers("indices").size() ? call.integers("indices")[i] - start : x->extent(dim) - start;
    call.results[i] = call.build.slice(x, dim, start, length);
    start += length;
  }
  return nullptr;
}

NetNode *unbind(Call &call) {
  NetNode *x = call.tensor("self");
  for (size_t i = 0; i < call.results.size(); ++i)
    call.results[i] = call.build.select(x, call.dim("dim", x->rank()), int64_t(i));
  return nullptr;
}

NetNode *cat(Call &call) { return call.build.cat(call.tensors("tensors"), call.dim("dim", int(call.shape().size()))); }

NetNode *stack(Call &call) {
  int dim = call.dim("dim", int(call.shape().size()));
  Nodes parts;
  for (NetNode *part : call.tensors("tensors"))
    parts.push_back(call.build.unsqueeze(part, dim));
  return call.build.cat(parts, dim);
}

NetNode *repeat(Call &call) {
  NetNode *x = call.tensor("self");
  Shape counts = call.integers(call.has("dims") ? "dims" : "repeats");
  if (int(counts.size()) < x->rank()) // of `tile`
    counts.put(0, 1, size_t(x->rank()) - counts.size());
  if (std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 1; }))
    return view(call);
  // An axis of extent 1 is repeated by a broadcast.
  size_t more = counts.size() - x->rank();
  bool isBroadcast = true;
  for (size_t i = more; i < counts.size(); ++i)
    isBroadcast &= counts[i] == 1 || x->extent(int(i - more)) == 1;
  if (isBroadcast)
    return call.build.expand(x, call.shape());
  return call.build.make(Op::Repeat, {x}, call.type(), {.ints = counts});
}

/// Each element several times: a new axis behind the one that is repeated.
NetNode *repeatInterleave(Call &call) {
  NetNode *x = call.tensor("self");
  if (!call.has("dim") || !numberOf(call.tensor("repeats")))
    throw CannotImport("repeat_interleave by a tensor");
  int dim = call.dim("dim", x->rank());
  Shape shape = x->shape();
  shape.put(size_t(dim) + 1, call.integer("repeats"));
  return call.build.view(call.build.expand(call.build.unsqueeze(x, dim + 1), shape), call.shape());
}

/// The elements outside of one end: turned around, from the other end, or the last one again and again.
Nodes outside(Builder &build, NetNode *x, int dim, int64_t count, bool isBehind, char mode) {
  if (count <= 0)
    return {};
  int64_t extent = x->extent(dim);
  if (mode == 'c')
    return {build.slice(x, dim, isBehind ? 0 : extent - count, count, 1, {.isFromEnd = !isBehind})};
  if (mode == 'r')
    return {build.flip(build.slice(x, dim, isBehind ? extent - 1 - count : 1, count, 1, {.isFromEnd = isBehind}), dim)};
  NetNode *end = build.slice(x, dim, isBehind ? extent - 1 : 0, 1, 1, {.isFromEnd = isBehind});
  build.spend(double(count));
  return Nodes(size_t(count), end);
}

NetNode *pad(Call &call) {
  std::string mode = call.text("mode");
  auto is = [&](const char *word, const char *prefix) { return mode == word || call.isNamed(prefix); };
  char kind = is("circular", "_pad_circular") ? 'c' : is("reflect", "reflection") ? 'r' : 'l';
  Shape pads = call.integers(call.has("pad") ? "pad" : "padding");
  NetNode *x = call.tensor("self");
  if (kind == 'l' && !is("replicate", "replication"))
    return call.build.pad(x, pads, call.real("value"));
  for (size_t i = 0; i < pads.size(); i += 2) {
    int dim = x->rank() - 1 - int(i / 2);
    Nodes parts = outside(call.build, x, dim, pads[i], false, kind),
          behind = outside(call.build, x, dim, pads[i + 1], true, kind);
    parts.push_back(x);
    parts.insert(parts.end(), behind.begin(), behind.end());
    x = call.build.cat(parts, dim);
  }
  return x;
}

/// A tensor of other strides over the same elements: the order of its axes.
NetNode *asStrided(Call &call) {
  NetNode *x = call.tensor("self");
  Shape size = call.integers("size"), stride = call.integers("stride"), order;
  for (size_t i = 0; i < size.size(); ++i)
    if (size[i] > 1)
      order.push_back(int64_t(i));
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stride[a] > stride[b]; });
  Shape sorted, back(order.size());
  bool isWhole = true;
  int64_t expected = 1, count = 1;
  for (size_t i = order.size(); i-- > 0; expected *= size[order[i]])
    isWhole &= stride[order[i]] == expected;
  for (int64_t extent : x->shape())
    count *= extent;
  if (!isWhole || expected != count)
    throw CannotImport("as_strided of a part of a tensor");
  for (int64_t dim : order)
    sorted.push_back(size[dim]);
  for (size_t i = 0; i < order.size(); ++i)
    back[std::count_if(order.begin(), order.end(), [&](int64_t dim) { return dim < order[i]; })] = int64_t(i);
  return call.build.view(call.build.permute(call.build.view(x, sorted), back), size);
}

NetNode *roll(Call &call) {
  NetNode *x = call.tensor("self");
  Shape shifts = call.integers("shifts"), dims = call.dims("dims", x);
  for (size_t i = 0; i < dims.size(); ++i) {
    int dim = int(dims[i]);
    int64_t extent = x->extent(dim), shift = shifts[i] - Builder::ratio(shifts[i], extent) * extent;
    shift += shift < 0 ? extent : 0;
    if (shift)
      x = call.build.cat({call.build.slice(x, dim, extent - shift, shift), call.build.slice(x, dim, 0, extent - shift)},
                         dim);
  }
  return x;
}

/// The tensor with some of its positions replaced: what stands before, the new ones, what stands behind.
NetNode *sliceScatter(Call &call) {
  NetNode *x = call.tensor("self"), *source = call.tensor("src");
  int dim = call.dim("dim", x->rank());
  if (call.has("index")) // of one position, without its axis
    source = call.build.unsqueeze(source, dim);
  int64_t start = call.integer(call.has("index") ? "index" : "start"), extent = x->extent(dim),
          length = source->extent(dim);
  start += start < 0 ? extent : 0;
  if (call.integer("step", 1) != 1)
    throw CannotImport("slice_scatter with a step");
  return call.build.cat(
      {call.build.slice(x, dim, 0, start), source, call.build.slice(x, dim, start + length, extent - start - length)},
      dim);
}

/// Each element minus the one before it, of the tensor between two others.
NetNode *difference(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank(), -1);
  Nodes parts = {call.tensorIf("prepend"), x, call.tensorIf("append")};
  std::erase(parts, nullptr);
  x = call.build.cat(parts, dim);
  int64_t length = x->extent(dim) - 1;
  NetNode *next = call.build.slice(x, dim, 1, length), *before = call.build.slice(x, dim, 0, length);
  return x->isBool() ? call.build.compare(Op::NotEqual, next, before) : call.build.map(Op::Sub, {next, before});
}

NetNode *gather(Call &call) {
  NetNode *x = call.tensor("self");
  return call.build.make(Op::Gather, {x, call.tensor("index")}, call.type(), {.dim = call.dim("dim", x->rank())});
}

NetNode *index(Call &call) {
  NetNode *x = call.tensor("self");
  Nodes operands = call.tensorsIf("indices");
  for (const NetNode *each : operands)
    if (each && each->isBool())
      throw CannotImport("an index by a mask, whose number of elements depends on values");
  if (operands.size() == 1 && operands[0])
    if (NetNode *before = turnedBack(call.build, x, operands[0]))
      return before;
  // Of axes that are not neighbours the indices' axes stand in front: as if these axes did.
  Shape indexed, others;
  for (int64_t i = 0; i < x->rank(); ++i)
    (i < int64_t(operands.size()) && operands[i] ? indexed : others).push_back(i);
  if (indexed.back() - indexed.front() + 1 != int64_t(indexed.size())) {
    std::erase(operands, nullptr);
    indexed.insert(indexed.end(), others.begin(), others.end());
    x = call.build.permute(x, indexed);
  }
  operands.insert(operands.begin(), x);
  return call.build.make(Op::Index, operands, call.type());
}

NetNode *indexSelect(Call &call) {
  NetNode *x = call.tensor("self");
  return call.build.indexAlong(x, call.dim("dim", x->rank()), call.tensor("index"));
}

/// The row of padding is read, and has no gradient.
NetNode *embedding(Call &call) {
  Builder &build = call.build;
  NetNode *weight = call.tensor("weight"), *index = call.tensor("indices"),
          *rows = build.make(Op::Embedding, {weight, index}, call.type());
  int64_t padding = call.integer("padding_idx", -1);
  if (padding < 0 || weight->op != Op::Parameter)
    return rows;
  NetNode *isPadding = build.compare(Op::Equal, index, build.number(double(padding), index->type.type));
  return build.map(Op::Where,
                   {build.unsqueeze(isPadding, index->rank()), build.map(Op::Stop, {rows}, rows->type.type), rows},
                   rows->type.type);
}

/// The diagonal of two axes, as the last one.
NetNode *diagonal(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  int first = call.dim("dim1", x->rank(), 0), second = call.dim("dim2", x->rank(), 1);
  int64_t offset = call.integer("offset"), count = call.shape().back();
  Shape order;
  for (int i = 0; i < x->rank(); ++i)
    if (i != first && i != second)
      order.push_back(i);
  size_t kept = order.size();
  order.insert(order.begin(), {first, second});
  Nodes operands = {build.permute(x, order), build.arange(count, std::max<int64_t>(-offset, 0)),
                    build.arange(count, std::max<int64_t>(offset, 0))};
  Shape shape = {count}, back;
  for (size_t i = 0; i < kept; ++i) {
    shape.push_back(call.shape()[i]);
    back.push_back(int64_t(i) + 1);
  }
  back.push_back(0);
  return build.permute(build.make(Op::Index, operands, {x->type.type, shape}), back);
}

/// A vector on the diagonal of a matrix of zeros.
NetNode *onDiagonal(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  int last = x->rank();
  if (call.integer("offset") || call.dim("dim1", last + 1, -2) != last - 1 || call.dim("dim2", last + 1, -1) != last)
    throw CannotImport("a diagonal other than the main one of the last axes");
  NetNode *is = build.compare(Op::Equal, build.unsqueeze(build.arange(x->extent(last - 1)), 1),
                              build.arange(x->extent(last - 1)));
  return build.make(Op::Where, {is, build.unsqueeze(x, last), build.number(0, x->type.type)}, call.type());
}

NetNode *takeAlong(Call &call) {
  NetNode *x = call.tensor("self"), *index = call.tensor("indices");
  int dim = call.dim("dim", x->rank());
  Shape shape = call.shape();
  index = call.build.expand(index, shape);
  shape[dim] = x->extent(dim);
  return call.build.make(Op::Gather, {call.build.expand(x, shape), index}, call.type(), {.dim = dim});
}

/// Vectors along axes of their own.
NetNode *meshgrid(Call &call) {
  Nodes vectors = call.tensors("tensors");
  if (call.text("indexing") == "xy" && vectors.size() > 1)
    throw CannotImport("a grid of columns and rows; take indexing='ij'");
  for (size_t i = 0; i < call.results.size(); ++i) {
    Shape column(vectors.size(), 1), shape;
    column[i] = vectors.at(i)->extent(0);
    for (const NetNode *each : vectors)
      shape.push_back(each->extent(0));
    call.results[i] = call.build.expand(call.build.view(vectors[i], column), shape);
  }
  return nullptr;
}

/// Tensors in their common shape.
NetNode *broadcast(Call &call) {
  Nodes tensors = call.tensors("tensors");
  for (size_t i = 0; i < call.results.size(); ++i)
    if (call.isUsed(i))
      call.results[i] = call.build.expand(tensors.at(i), call.type(i).shape);
  return nullptr;
}

NetNode *oneHot(Call &call) {
  NetNode *x = call.build.unsqueeze(call.tensor("self"), int(call.shape().size()) - 1);
  NetNode *is = call.build.compare(Op::Equal, x, call.build.arange(call.shape().back()));
  return call.build.convert(is, call.type().type);
}

const std::unordered_map<std::string_view, Handler> shapeOps = {{"permute", permute},
                                                                {"transpose", transpose},
                                                                {"swapaxes", transpose},
                                                                {"swapdims", transpose},
                                                                {"t", transpose},
                                                                {"movedim", movedim},
                                                                {"numpy_T", reverse},
                                                                {"slice", slice},
                                                                {"narrow", narrow},
                                                                {"flip", flip},
                                                                {"select", select},
                                                                {"split", split},
                                                                {"split_with_sizes", split},
                                                                {"chunk", split},
                                                                {"tensor_split", tensorSplit},
                                                                {"unbind", unbind},
                                                                {"cat", cat},
                                                                {"concat", cat},
                                                                {"stack", stack},
                                                                {"repeat", repeat},
                                                                {"tile", repeat},
                                                                {"repeat_interleave", repeatInterleave},
                                                                {"constant_pad_nd", pad},
                                                                {"pad", pad},
                                                                {"reflection_pad1d", pad},
                                                                {"reflection_pad2d", pad},
                                                                {"reflection_pad3d", pad},
                                                                {"replication_pad1d", pad},
                                                                {"replication_pad2d", pad},
                                                                {"replication_pad3d", pad},
                                                                {"_pad_circular", pad},
                                                                {"roll", roll},
                                                                {"slice_scatter", sliceScatter},
                                                                {"select_scatter", sliceScatter},
                                                                {"diff", difference},
                                                                {"as_strided", asStrided},
                                                                {"diagonal", diagonal},
                                                                {"diag_embed", onDiagonal},
                                                                {"gather", gather},
                                                                {"take_along_dim", takeAlong},
                                                                {"index", index},
                                                                {"_unsafe_index", index},
                                                                {"index_select", indexSelect},
                                                                {"embedding", embedding},
                                                                {"meshgrid", meshgrid},
                                                                {"broadcast_tensors", broadcast},
                                                                {"one_hot", oneHot}};
const std::vector<std::string_view> views = {"view",    "_unsafe_view", "reshape",   "flatten", "unflatten",
                                             "view_as", "reshape_as",   "unsqueeze", "squeeze", "_reshape_alias"};
} // namespace

Handler plc::import::findShapeHandler(const std::string &name) {
  if (std::find(views.begin(), views.end(), name) != views.end())
    return view;
  if (name == "expand" || name == "expand_as" || name == "broadcast_to")
    return [](Call &call) { return call.build.expand(call.tensor("self"), call.shape()); };
  auto found = shapeOps.find(name);
  return found == shapeOps.end() ? Handler() : found->second;
}
