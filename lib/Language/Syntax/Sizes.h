//===- Sizes.h - dims, -D and size expressions ------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_SIZES_H
#define PLC_LIB_LANGUAGE_SYNTAX_SIZES_H

#include "Syntax.h"
#include "llvm/ADT/MapVector.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace plc {
class Diagnostics;
class Nearest;
struct Diagnostic;
} // namespace plc

namespace plc::language {

/// A named size. Without a value its definition had an error, and uses of it are not reported again.
struct Size {
  std::optional<int64_t> value;
  SMLoc place;
  bool overridden = false; // by -D
  int64_t batches = 1;     // by which it is multiplied, if it is the batch's in a step of several
};

/// Sizes by name: the dims of a file; or the sizes that a call binds, which hide the dims of the callee's file.
class Sizes {
public:
  explicit Sizes(Diagnostics &diagnostics, const Sizes *outer = nullptr) : outer(outer), diagnostics(diagnostics) {}

  /// Evaluates the dims of a file in order, behind those that are bound already. Overrides that name none are passed
  /// over. The size `batch` is `batches` times as large.
  void define(const File &file, const std::vector<std::pair<std::string, int64_t>> &overrides, StringRef batch,
              int64_t batches);
  void bind(StringRef name, Size size) { sizes[name] = size; }
  void unbind(StringRef name) { sizes.erase(name); }
  /// Makes `size(AXIS)` known.
  void bindExtent(StringRef axis, Size extent) { extents[axis] = extent; }
  const Size *findExtent(StringRef axis) const;
  /// Null if the name is no size.
  const Size *find(StringRef name) const;
  /// Offers all names that are visible here as suggestions.
  void offer(Nearest &nearest) const;
  /// Reports a name that is no size.
  void unknown(StringRef name, SMLoc place) const;
  /// The sizes that are bound here, without those of the enclosing scope, in order of name.
  const std::map<StringRef, Size> &own() const { return sizes; }

  /// Value of an integer expression; none after an error, which is reported here or was before.
  std::optional<int64_t> evaluate(const Expr &expr) const;
  /// As `evaluate`, and at least 1.
  std::optional<int64_t> evaluateExtent(const Expr &expr) const;

private:
  std::optional<int64_t> evaluateLiteral(const Expr &expr) const;
  std::optional<int64_t> evaluateProduct(const Expr &expr) const;
  std::optional<int64_t> divide(const Expr &product, size_t position, int64_t dividend, int64_t divisor) const;
  std::optional<int64_t> overflow(const Expr &expr) const;
  void noteValues(Diagnostic &error, const Expr &expr) const;

  const Sizes *outer;
  Diagnostics &diagnostics;
  std::map<StringRef, Size> sizes;
  std::map<StringRef, Size> extents; // of axes and indices, by name
  std::map<StringRef, SMLoc> coming; // dims that stand further down: a use of one says so instead of 'unknown'
};

/// Value of a real expression of numbers and sizes (+ - * / sqrt), in f64; none after an error.
std::optional<double> evaluateNumber(const Expr &expr, const Sizes &sizes, Diagnostics &diagnostics);

/// `size(i)`.
bool isSizeCall(const Expr &expr);
/// Does `size(..)` occur in the expression?
bool mentionsSize(const Expr &expr);

/// A size or an index? Sizes start with an upper-case letter.
inline bool isSizeName(StringRef name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

} // namespace plc::language

#endif
