// Conversions between element types of one kind.
#include "plc/Runtime/Tensors/ConvertTensor.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/ShortestDigits.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

/// In the digits of the wider type, so that a rounded value shows its change.
template <class T>
std::string textOf(T value) {
  if constexpr (!std::is_integral_v<T>)
    return shortestDigits(ElementType::F64, static_cast<double>(value));
  else
    return std::to_string(value);
}

/// One direction: From and To are traits of element types.
template <class From, class To>
struct Conversion {
  using Source = typename From::Value;
  using Target = typename To::Value;
  static constexpr bool isReal = From::kind == ElementKind::Real && To::kind == ElementKind::Real,
                        isCount = From::kind != ElementKind::Real && To::kind != ElementKind::Real,
                        exists = isReal || isCount;

  // Whether a value has a counterpart: a finite real must stay finite.
  static bool fits(Source value) {
    if constexpr (To::kind == ElementKind::Truth)
      return value == 0 || value == 1;
    else if constexpr (isReal)
      return std::isfinite(wide(static_cast<Target>(wide(value)))) || !std::isfinite(wide(value));
    else
      return std::in_range<Target>(value);
  }
  // Whether a real is rounded; NaN does not count.
  static bool changes(Source value) {
    if constexpr (isReal)
      return wide(value) == wide(value) && wide(static_cast<Target>(wide(value))) != wide(value);
    return false;
  }
  static Target of(Source value) {
    if constexpr (isReal)
      return static_cast<Target>(wide(value));
    else
      return static_cast<Target>(value);
  }

private:
  static double wide(auto value) { return static_cast<double>(value); }
};

template <class From, class To>
void convert(const std::string &file, const std::string &what, Tensor &tensor, int64_t first) {
  using Convert = Conversion<From, To>;
  using Source = typename From::Value;
  using Target = typename To::Value;
  auto count = static_cast<int64_t>(tensor.data.size() / sizeof(Source));
  int64_t changed = 0;
  Bytes converted(static_cast<size_t>(count) * sizeof(Target));
  std::string example;
  for (int64_t i = 0; i < count; ++i) {
    Source value;
    std::memcpy(&value, tensor.data.data() + static_cast<size_t>(i) * sizeof(Source), sizeof(Source));
    if (!Convert::fits(value))
      throw fileError(file, "element " + positionText(tensor.info, first + i) + " is " + textOf(value) + ", which " +
                                std::string(To::name) + " of " + what + " cannot hold");
    Target target = Convert::of(value);
    if (Convert::changes(value) && changed++ == 0)
      example = positionText(tensor.info, first + i) + ": " + textOf(value) + " becomes " + textOf(target);
    std::memcpy(converted.data() + static_cast<size_t>(i) * sizeof(Target), &target, sizeof(Target));
  }
  if (changed)
    warnUser(file + ": warning: " + std::to_string(changed) + " of " + std::to_string(count) +
             " elements are rounded from " + std::string(From::name) + " to " + std::string(To::name) + " for " + what +
             ", as at " + example + "\n");
  tensor.info.type = *parseElementType(To::name);
  tensor.data = std::move(converted);
}

} // namespace

bool isConvertible(ElementType from, ElementType to) {
  return from == to || visit(from, [&](auto source) {
           return visit(to, [&](auto target) { return Conversion<decltype(source), decltype(target)>::exists; });
         });
}

void convertTensor(const std::string &file, const std::string &what, ElementType to, Tensor &tensor, int64_t first) {
  if (tensor.info.type == to)
    return;
  visit(tensor.info.type, [&](auto from) {
    visit(to, [&](auto target) {
      if constexpr (Conversion<decltype(from), decltype(target)>::exists)
        convert<decltype(from), decltype(target)>(file, what, tensor, first);
    });
  });
}

} // namespace plc::runtime
