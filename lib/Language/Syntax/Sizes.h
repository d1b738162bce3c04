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

/// A named size. It has no value if its definition had an error; uses of it are then not reported again.
struct Size {
  std::optional<int64_t> value;
  SMLoc location;
  bool overridden = false; // by -D
  int64_t batches = 1;     // factor by which a step of several batches multiplies the size of the batch
};

/// Sizes by name. Either the dims of a file, or the sizes that a call binds, which hide the dims of the callee's file.
class Sizes {
public:
  explicit Sizes(Diagnostics &diagnostics, const Sizes *outer = nullptr) : outer(outer), diagnostics(diagnostics) {}

  /// Evaluates the dims of a file in order, after those that are bound already. Overrides that name none are ignored.
  /// The size `batch` is `batches` times as large. A size that one of `users` has takes its value from the first such.
  void define(const File &file, const std::vector<std::pair<std::string, int64_t>> &overrides, StringRef batch,
              int64_t batches, llvm::ArrayRef<const Sizes *> users = {});
  void bind(StringRef name, Size size) { sizes[name] = size; }
  void unbind(StringRef name) { sizes.erase(name); }
  /// Makes `size(AXIS)` known in size expressions.
  void bindExtent(StringRef axis, Size extent) { extents[axis] = extent; }
  const Size *findExtent(StringRef axis) const;
  /// The size of a name, here or in an enclosing scope; null if the name is none.
  const Size *find(StringRef name) const;
  /// Offers all names that are visible here as suggestions.
  void offer(Nearest &nearest) const;
  /// Reports a name that is no size.
  void unknown(StringRef name, SMLoc location) const;
  /// The sizes that are bound here, without those of the enclosing scope, in order of name.
  const std::map<StringRef, Size> &own() const { return sizes; }

  /// The value of an integer expression. Nullopt after an error, which is reported here or was before.
  std::optional<int64_t> evaluate(const Expr &expr) const;
  /// As `evaluate`, and at least 1.
  std::optional<int64_t> evaluateExtent(const Expr &expr) const;

private:
  std::optional<int64_t> evaluateLiteral(const Expr &expr) const;
  std::optional<int64_t> evaluateProduct(const Expr &expr) const;
  std::optional<int64_t> evaluateBits(const Expr &expr) const;
  std::optional<int64_t> divide(const Expr &product, size_t position, int64_t dividend, int64_t divisor) const;
  std::optional<int64_t> overflow(const Expr &expr) const;
  void noteValues(Diagnostic &error, const Expr &expr) const;

  const Sizes *outer;
  Diagnostics &diagnostics;
  std::map<StringRef, Size> sizes;
  std::map<StringRef, Size> extents; // of axes and indices, by name
  std::map<StringRef, SMLoc> coming; // dims further down: an error about one of them says so, instead of 'unknown'
};

/// The value of a real expression of numbers and sizes (+ - * / sqrt), in f64. Nullopt after an error.
std::optional<double> evaluateNumber(const Expr &expr, const Sizes &sizes, Diagnostics &diagnostics);

/// `size(i)`.
bool isSizeCall(const Expr &expr);
/// Does `size(..)` occur in the expression?
bool mentionsSize(const Expr &expr);

/// Whether a name is a size: sizes begin with an upper-case letter, indices and tensors do not.
inline bool isSizeName(StringRef name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

} // namespace plc::language

#endif
