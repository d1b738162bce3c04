//===- Syntax.h - the syntax tree of a .ein file ----------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_SYNTAX_H
#define PLC_LIB_LANGUAGE_SYNTAX_SYNTAX_H

#include "BinaryOp.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"
#include <deque>
#include <optional>
#include <vector>

namespace plc::language {
using llvm::SMLoc;
using llvm::StringRef;

struct Expr;

/// A limit of a setting: `from 0` and `to 1` include the number, `above 0` and `below 1` do not.
struct Bound {
  bool isLeast;
  bool isExclusive;
  const Expr *value;
};

/// `NAME = EXPR` after a `;`. In the header of an optimizer limits may follow.
struct NamedExpr {
  StringRef name;
  SMLoc location;
  const Expr *value;
  std::vector<Bound> bounds = {};
};

/// An entry of index brackets: an expression, `...` (no expression), or `i: N`.
struct IndexEntry {
  SMLoc location;
  const Expr *expr = nullptr;
  const Expr *extent = nullptr;
  bool isEllipsis() const { return !expr; }
};

/// An expression. Sums, products, bit operations and conjunctions are n-ary, so that depth is bounded by the nesting
/// limit.
struct Expr {
  enum Kind {
    Number,  // text
    Name,    // name
    Access,  // name [ indices ]
    Call,    // name [ indices ]? ( operands ; given )
    Sum,     // operands, operators + or - before each
    Product, // operands, operators * / // or % before each
    Bits,    // operands, bit operators of one level before each; one operand: its complement
    Negate,  // operands[0]
    Not,     // operands[0]
    Compare, // operands[0] name operands[1]
    And,     // operands
    Or,      // operands
    If,      // operands: condition, then, else
    Paren,   // operands[0]
    Whole    // `:`, a whole axis
  };
  Kind kind;
  SMLoc location; // for errors: the operator of a comparison, else the beginning
  StringRef text; // the source of the whole expression
  /// Its beginning, for messages.
  std::string clipped() const { return text.substr(0, 60).str(); }
  StringRef name;
  bool brackets = false;
  std::vector<IndexEntry> indices;
  std::vector<const Expr *> operands;
  std::vector<BinaryOp> operators;
  std::vector<NamedExpr> given;
};

/// Whether an expression is a tensor with whole axes among its positions: `g[l, :]`.
inline bool isSlice(const Expr &expr) {
  return expr.kind == Expr::Access && llvm::any_of(expr.indices, [](const IndexEntry &entry) {
           return entry.expr && entry.expr->kind == Expr::Whole;
         });
}

/// A name on a left side, in a header or in a `param`: `name: type[axes]`.
struct Declarator {
  StringRef name;
  SMLoc location;
  StringRef element;     // empty: real
  SMLoc elementLocation; // after a ':'; not valid without one
  bool brackets = false;
  std::vector<IndexEntry> axes;
};

/// A name that a `param` or `state` declares.
struct ParamName {
  Declarator declarator;
  /// Index into `Statement::initializers`, or -1 if there is none.
  int initializer = -1;
  bool frozen = false;
};

struct InitializerExpr {
  StringRef kind; // "constant", "normal", "uniform"
  SMLoc location;
  std::vector<const Expr *> arguments;
};

/// `in NAME`, `in NAME[ITERATION]`, and `only a, b`, after the call of a layer.
struct Namespace {
  StringRef name; // empty: none
  SMLoc location;
  const Expr *iteration = nullptr;
  bool hasOnly = false;
  std::vector<std::pair<StringRef, SMLoc>> only;
};

/// One statement of a body. Which members are set depends on the kind.
struct Statement {
  enum Kind { Rule, Extents, Param, Share, Repeat, Stash, Pop, State };
  Kind kind;
  SMLoc location;
  bool isBroken = false;                     // a syntax error was reported; only `lefts` are valid
  std::vector<Declarator> lefts;             // Rule; Extents, Share, Pop: one
  bool adds = false;                         // Rule: a clause, by `+=`, `max=`, `min=` or `mul=`
  StringRef join = "add";                    // Rule: the function that joins a clause to those before
  bool isNext = false;                       // Rule: `next NAME ..`, where the left side is called "next NAME"
  const Expr *value = nullptr;               // Rule, Stash: right side; Repeat: count
  Namespace space;                           // Rule
  StringRef skip;                            // Stash, Pop: its name; a Rule that is `next`: the state's
  SMLoc skipLocation;                        // Stash, Pop
  StringRef iteration;                       // Repeat: its name, or empty
  SMLoc iterationLocation;                   // Repeat
  std::string path;                          // Share
  SMLoc pathLocation;                        // Share
  std::vector<ParamName> params;             // Param, State
  std::vector<InitializerExpr> initializers; // Param, State
  std::vector<Statement *> body;             // Repeat
};

/// How the text writes the clauses of a function that joins them: `+=`, `max=`.
inline std::string clauseToken(StringRef join) { return join == "add" ? "+=" : join.str() + "="; }

/// A layer, an fn, a model or an optimizer.
struct Function {
  enum Kind { Layer, Fn, Model, Optimizer };
  Kind kind;
  StringRef name;
  SMLoc location;
  std::vector<Declarator> arguments;
  std::vector<NamedExpr> given; // after `;`, value null if there is no default
  std::vector<Declarator> results;
  bool hasSyntaxErrors = false; // in the body; what seems to be missing may stand in a statement that did not parse
  StringRef kindName;           // layers: `kind NAME`, else empty
  StringRef pathName;           // layers: `as NAME`, else empty
  std::vector<Statement *> body;

  /// The name of a layer in the paths of its calls.
  StringRef nameInPaths() const { return pathName.empty() ? name : pathName; }
};

/// `dim NAME = EXPR`.
struct DimDecl {
  StringRef name;
  SMLoc location;
  const Expr *value;
};

/// `use std.nn`, or `use "layers.ein"`.
struct UseDecl {
  std::string path;
  SMLoc location;
  bool isFile = false;
};

/// The syntax tree of one file. It owns its nodes; names are slices of the source.
struct File {
  std::vector<UseDecl> uses;
  std::vector<DimDecl> dims;
  StringRef batch; // empty: none
  SMLoc batchLocation;
  std::vector<Function *> functions;

  std::deque<Expr> exprs;
  std::deque<Statement> statements;
  std::deque<Function> functionStore;
  std::deque<std::string> names; // names that are no slice of the source
};

} // namespace plc::language

#endif
