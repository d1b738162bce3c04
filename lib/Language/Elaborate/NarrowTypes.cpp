//===- NarrowTypes.cpp - tensors of storage types -------------------------===//
//
// A tensor of bf16, f16, i8 or u8 is read in the type that its elements are computed in, real or i32, which changes no
// element. A line of its own, or a result in a header, may define a tensor with such a type. It is computed and then
// rounded once, by an equation of its own, after all clauses of the name.
//
//===----------------------------------------------------------------------===//
#include "Elaborator.h"

using namespace plc::language;

static_assert(plc::sumTypeOf(plc::ElementType::I8) == plc::ElementType::I32 &&
                  plc::sumTypeOf(plc::ElementType::U8) == plc::ElementType::I32,
              "as `computedAs` says");

/// A copy with another element type: emission casts it. `Body::rounded` keeps the exact value, to which later clauses
/// add.
Binding Elaborator::roundTo(Element element, const Binding &binding, StringRef name, const Scope &scope, Body &body) {
  if (binding.kind != Binding::Tensor || body.values[binding.view.value].element == element)
    return binding;
  const View &view = binding.view;
  Step step;
  step.location = binding.location;
  step.frame = scope.frame;
  step.indices = std::make_shared<std::vector<Index>>();
  for (auto [axis, extent] : llvm::enumerate(view.axes)) {
    step.indices->push_back({"", extent.extent, extent.location, "'" + name.str() + "'", int(axis), SMLoc()});
    step.left.push_back(axis);
    step.parts.push_back(1);
  }
  Node &read = body.nodes.emplace_back();
  read.kind = Node::Read;
  read.location = binding.location;
  read.value = view.value;
  read.element = computedAs(body.values[view.value].element);
  for (unsigned axis : view.dims)
    read.positions.push_back({{axis}});
  for (unsigned axis = 0; axis < view.axes.size(); ++axis)
    if (llvm::is_contained(view.dims, axis))
      read.dims.push_back(axis);
  step.value = &read;
  step.result = body.add(Value{name.str(), element, view.axes, binding.location});
  body.steps.push_back(std::move(step));
  Binding result = binding;
  result.view = body.whole(body.steps.back().result);
  body.rounded[result.view.value] = binding;
  return result;
}

void Elaborator::roundDeclared(StringRef name, Scope &scope, Body &body) {
  auto declared = scope.declared.find(name);
  if (declared == scope.declared.end())
    return;
  Binding &binding = scope.names[name];
  if (Element element = elementNamed(declared->second.declarator->element); isNarrow(element))
    binding = roundTo(element, binding, name, scope, body);
}
