//===- Subscripts.h - maps of an equation as letters ------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_SUBSCRIPTS_H
#define PLC_DIALECT_EIN_SUBSCRIPTS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// The maps of an equation as subscripts. Each letter is a dimension; in alphabetical order, small letters first, they
/// are the dimensions of the domain in theirs. Positions that index a table have a letter too, named by the operand
/// that holds them. Nullopt if the subscripts would not read back as the same maps and extents.
///
///   (d0, d1, d2) -> (d0, d2), (d2, d1), (d0, d1)                "ac,cb->ab"
///   (d0, d1)[s0] -> (s0, d1), (d0), (d0, d1)                    "ib,i=a->ab"
///   (d0) -> (d0, d0), (d0)                                      "aa->a"
///   (d0) -> (d0 + 1), (d0)                                      none
std::optional<std::string> subscriptsOf(Equation equation);

/// Subscripts while they are parsed, before the types of the operands are known.
class Subscripts {
public:
  /// Starts an error at an offset in the text.
  using Error = llvm::function_ref<mlir::InFlightDiagnostic(size_t offset)>;

  /// The tensor that an equation indexes by positions: none, its first operand (the table of a gather) or its result.
  enum class Table { None, FirstOperand, Result };

  /// Parses the subscripts of an equation with `operands` operands. Errors: a character that subscripts do not have, no
  /// result, another number of operands; a name of positions that is missing, repeated or indexes no table.
  static llvm::FailureOr<Subscripts> parse(llvm::StringRef text, unsigned operands, Table table, Error error);

  /// The extents of the domain, from the types of the operands and of the result. Errors: another number of indices
  /// than the tensor has axes; an index with two extents.
  llvm::FailureOr<llvm::SmallVector<int64_t>> extents(llvm::ArrayRef<mlir::RankedTensorType> types, Error error) const;

  mlir::ArrayAttr maps(mlir::MLIRContext *context) const;

private:
  // The text between two commas; `offset` is that of its first letter.
  struct Term {
    std::string letters;
    size_t offset = 0;
    char name = 0; // letter of the positions that the operand holds
  };

  bool isTable(unsigned term) const;
  static llvm::FailureOr<llvm::SmallVector<Term>> split(llvm::StringRef text, Error error);
  llvm::LogicalResult nameSymbols(Error error);

  Table table = Table::None;
  llvm::SmallVector<Term> terms; // operands, then the result
  std::string dims, symbols;     // letters in the order of dimensions, names in the order of operands
};

} // namespace plc::ein

#endif
