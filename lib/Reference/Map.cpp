//===- Map.cpp - elementwise functions ------------------------------------===//
#include "EquationKinds.h"
#include "RecipeValues.h"

#include "plc/Numerics/Recipes.h"

namespace plc::reference {
namespace {

using ein::Function;

template <typename R, typename A, typename F>
// Contiguous rows have a loop of their own, which compilers vectorize. The next two functions do likewise.
void mapOne(const Extents &extents, const Operand &a, const Operand &result, F function) {
  int64_t length = rowLength(extents), as = rowStride(a), rs = rowStride(result);
  forEachRow<2>(extents, {&a.strides, &result.strides}, [&](const std::array<int64_t, 2> &at) {
    const A *x = a.as<A>() + at[0];
    R *__restrict y = result.as<R>() + at[1];
    if (as == 1 && rs == 1)
      for (int64_t i = 0; i < length; ++i)
        y[i] = function(x[i]);
    else
      for (int64_t i = 0; i < length; ++i)
        y[i * rs] = function(x[i * as]);
  });
}

template <typename R, typename A, typename F>
void mapTwo(const Extents &extents, const Operand &a, const Operand &b, const Operand &result, F function) {
  int64_t length = rowLength(extents), as = rowStride(a), bs = rowStride(b), rs = rowStride(result);
  forEachRow<3>(extents, {&a.strides, &b.strides, &result.strides}, [&](const std::array<int64_t, 3> &at) {
    const A *x = a.as<A>() + at[0], *y = b.as<A>() + at[1];
    R *__restrict z = result.as<R>() + at[2];
    if (as == 1 && bs == 1 && rs == 1)
      for (int64_t i = 0; i < length; ++i)
        z[i] = function(x[i], y[i]);
    else
      for (int64_t i = 0; i < length; ++i)
        z[i * rs] = function(x[i * as], y[i * bs]);
  });
}

template <typename R, typename A, typename F>
void mapChoice(const Extents &extents, const std::vector<Operand> &inputs, const Operand &result, F function) {
  int64_t length = rowLength(extents), cs = rowStride(inputs[0]), as = rowStride(inputs[1]), bs = rowStride(inputs[2]),
          rs = rowStride(result);
  forEachRow<4>(extents, {&inputs[0].strides, &inputs[1].strides, &inputs[2].strides, &result.strides},
                [&](const std::array<int64_t, 4> &at) {
                  const uint8_t *c = inputs[0].as<uint8_t>() + at[0];
                  const A *x = inputs[1].as<A>() + at[1], *y = inputs[2].as<A>() + at[2];
                  R *z = result.as<R>() + at[3];
                  for (int64_t i = 0; i < length; ++i)
                    z[i * rs] = function(c[i * cs], x[i * as], y[i * bs]);
                });
}

/// The recipe of one function on elements of one type.
template <Function function, typename Traits>
void mapTyped(const Extents &extents, const std::vector<Operand> &in, const Operand &result) {
  using Element = typename Traits::Value;
  constexpr ein::FunctionInfo info = ein::infoOf(function);
  using Result = std::conditional_t<info.result == ein::ResultType::Truth, uint8_t, Element>;
  constexpr numerics::Recipe<function> recipe;
  auto value = [](Element element) { return valueOf<Traits>(element); };
  if constexpr (info.domain == ein::Domain::Choice)
    mapChoice<Result, Element>(extents, in, result, [=](uint8_t c, Element x, Element y) {
      return Result(elementOf(recipe(c != 0, value(x), value(y))));
    });
  else if constexpr (info.arity == 1)
    mapOne<Result, Element>(extents, in[0], result, [=](Element x) { return Result(elementOf(recipe(value(x)))); });
  else
    mapTwo<Result, Element>(extents, in[0], in[1], result,
                            [=](Element x, Element y) { return Result(elementOf(recipe(value(x), value(y)))); });
}

template <Function function>
bool mapFunction(const Extents &extents, const std::vector<Operand> &in, const Operand &result) {
  return visit(in.back().element, [&](auto traits) {
    if constexpr (ein::acceptsType<decltype(traits)>(function))
      return mapTyped<function, decltype(traits)>(extents, in, result), true;
    else
      return false;
  });
}

} // namespace

bool map(Function function, const Extents &extents, const std::vector<Operand> &inputs, const Operand &result) {
  switch (function) {
#define PLC_FUNCTION(ID, ...)                                                                                          \
  case Function::ID: return mapFunction<Function::ID>(extents, inputs, result);
#include "plc/Dialect/Ein/Functions.def"
  }
  return false;
}

} // namespace plc::reference
