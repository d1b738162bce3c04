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
  std::vector<int64_t> dims = call.integers("dims");
  for (int64_t &dim : dims)
    dim += dim < 0 ? x->rank() : 0;
  return call.build.permute(x, dims);
}

NetNode *transpose(Call &call) {
  NetNode *x = call.tensor("self");
  if (!call.has("dim0") && !call.has("axis0"))
    return x->rank() < 2 ? x : call.build.transpose(x, 0, 1);
  const char *first = call.has("dim0") ? "dim0" : "axis0", *second = call.has("dim1") ? "dim1" : "axis1";
  return call.build.transpose(x, call.dim(first, x->rank()), call.dim(second, x->rank()));
}

NetNode *reverse(Call &call) {
  NetNode *x = call.tensor("self");
  std::vector<int64_t> dims(x->rank());
  std::iota(dims.rbegin(), dims.rend(), 0);
  return call.build.permute(x, dims);
}

NetNode *slice(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank());
  int64_t start = call.integer("start");
  start = std::clamp<int64_t>(start < 0 ? start + x->extent(dim) : start, 0, x->extent(dim));
  return call.build.slice(x, dim, start, call.shape()[dim], call.integer("step", 1));
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
  std::vector<int64_t> lengths = call.integers(call.has("split_sizes") ? "split_sizes" : "split_size");
  if (lengths.empty())
    lengths = {(extent + chunks - 1) / chunks};
  for (size_t i = 0; i < call.results.size(); ++i) {
    int64_t length = std::min(lengths.size() > 1 ? lengths[i] : lengths[0], extent - start);
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
  std::vector<NetNode *> parts;
  for (NetNode *part : call.tensors("tensors"))
    parts.push_back(call.build.unsqueeze(part, dim));
  return call.build.cat(parts, dim);
}

NetNode *repeat(Call &call) {
  NetNode *x = call.tensor("self");
  std::vector<int64_t> counts = call.integers("repeats");
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
  std::vector<int64_t> shape = x->shape();
  shape.insert(shape.begin() + dim + 1, call.integer("repeats"));
  return call.build.view(call.build.expand(call.build.unsqueeze(x, dim + 1), shape), call.shape());
}

NetNode *pad(Call &call) {
  if (std::string mode = call.text("mode"); !mode.empty() && mode.front() != 'c')
    throw CannotImport("padding by '" + mode + "'; only constants are supported");
  std::vector<int64_t> pads = call.integers("pad");
  NetNode *x = call.tensor("self");
  for (size_t i = 0; i < pads.size(); i += 2) { // less than 0 cuts off
    int dim = x->rank() - 1 - int(i / 2);
    int64_t before = std::max<int64_t>(-pads[i], 0), behind = std::max<int64_t>(-pads[i + 1], 0);
    x = call.build.slice(x, dim, before, x->extent(dim) - before - behind);
    pads[i] += before;
    pads[i + 1] += behind;
  }
  return call.build.make(Op::Pad, {x}, call.type(), {.ints = pads, .number = call.real("value")});
}

/// A tensor of other strides over the same elements: the order of its axes.
NetNode *asStrided(Call &call) {
  NetNode *x = call.tensor("self");
  std::vector<int64_t> size = call.integers("size"), stride = call.integers("stride"), order;
  for (size_t i = 0; i < size.size(); ++i)
    if (size[i] > 1)
      order.push_back(int64_t(i));
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stride[a] > stride[b]; });
  std::vector<int64_t> sorted, back(order.size());
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
  std::vector<int64_t> shifts = call.integers("shifts"), dims = call.integers("dims");
  for (size_t i = 0; i < dims.size(); ++i) {
    int dim = int(dims[i] < 0 ? dims[i] + x->rank() : dims[i]);
    int64_t extent = x->extent(dim), shift = ((shifts[i] % extent) + extent) % extent;
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
  int64_t start = call.integer("start"), extent = x->extent(dim), length = source->extent(dim);
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
  std::vector<NetNode *> parts = {call.tensor("prepend"), x, call.tensor("append")};
  std::erase(parts, nullptr);
  x = call.build.cat(parts, dim);
  int64_t length = x->extent(dim) - 1;
  NetNode *next = call.build.slice(x, dim, 1, length), *before = call.build.slice(x, dim, 0, length);
  return x->isBool() ? call.build.compare(Op::NotEqual, next, before) : call.build.map(Op::Sub, {next, before});
}

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
  std::vector<int64_t> column(rank + 1, 1);
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

NetNode *gather(Call &call) {
  NetNode *x = call.tensor("self");
  return call.build.make(Op::Gather, {x, call.tensor("index")}, call.type(), {.dim = call.dim("dim", x->rank())});
}

NetNode *index(Call &call) {
  NetNode *x = call.tensor("self");
  std::vector<NetNode *> operands = call.tensors("indices");
  for (const NetNode *each : operands)
    if (each && each->isBool())
      throw CannotImport("an index by a mask, whose number of elements depends on values");
  operands.insert(operands.begin(), x);
  return call.build.make(Op::Index, operands, call.type());
}

NetNode *indexSelect(Call &call) {
  NetNode *x = call.tensor("self");
  std::vector<NetNode *> operands(call.dim("dim", x->rank()) + 2);
  operands.front() = x;
  operands.back() = call.tensor("index");
  return call.build.make(Op::Index, operands, call.type());
}

NetNode *embedding(Call &call) {
  return call.build.make(Op::Embedding, {call.tensor("weight"), call.tensor("indices")}, call.type());
}

NetNode *oneHot(Call &call) {
  NetNode *x = call.build.unsqueeze(call.tensor("self"), int(call.shape().size()) - 1);
  NetNode *is = call.build.compare(Op::Equal, x, call.build.arange(call.shape().back()));
  return call.build.convert(is, call.type().type);
}

const std::unordered_map<std::string_view, Handler> handlers = {{"permute", permute},
                                                                {"transpose", transpose},
                                                                {"swapaxes", transpose},
                                                                {"t", transpose},
                                                                {"numpy_T", reverse},
                                                                {"slice", slice},
                                                                {"narrow", narrow},
                                                                {"select", select},
                                                                {"split", split},
                                                                {"split_with_sizes", split},
                                                                {"chunk", split},
                                                                {"unbind", unbind},
                                                                {"cat", cat},
                                                                {"concat", cat},
                                                                {"stack", stack},
                                                                {"repeat", repeat},
                                                                {"repeat_interleave", repeatInterleave},
                                                                {"constant_pad_nd", pad},
                                                                {"pad", pad},
                                                                {"roll", roll},
                                                                {"slice_scatter", sliceScatter},
                                                                {"diff", difference},
                                                                {"as_strided", asStrided},
                                                                {"scatter", scatter},
                                                                {"gather", gather},
                                                                {"index", index},
                                                                {"index_select", indexSelect},
                                                                {"embedding", embedding},
                                                                {"one_hot", oneHot}};
const std::vector<std::string_view> views = {"view",    "_unsafe_view", "reshape",   "flatten", "unflatten",
                                             "view_as", "reshape_as",   "unsqueeze", "squeeze", "_reshape_alias"};
} // namespace

Handler plc::import::findShapeHandler(const std::string &name) {
  if (std::find(views.begin(), views.end(), name) != views.end())
    return view;
  if (name == "expand" || name == "expand_as" || name == "broadcast_to")
    return [](Call &call) { return call.build.expand(call.tensor("self"), call.shape()); };
  auto found = handlers.find(name);
  return found == handlers.end() ? Handler() : found->second;
}
