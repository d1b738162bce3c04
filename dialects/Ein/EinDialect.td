//===- EinDialect.td - the ein dialect, its types, enums and interface ----===//
#ifndef PLC_EIN_DIALECT
#define PLC_EIN_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Ein_Dialect : Dialect {
  let name = "ein";
  let cppNamespace = "::plc::ein";
  let summary = "equations between indexed tensors";
  let description = [{
    A program is a list of equations. Every *equation* reads its operands and writes its result positionally: it has
    the extents of one iteration domain, and one affine map per operand and result from the domain to the indices of
    that tensor. Index names live in locations only. The dialect is small and closed under differentiation: what a
    model needs that is not here is composed of what is. `Rationale.md` gives the reasons.

    A module holds parameters (`ein.param`), bodies (`ein.func`) and one `ein.model`, whose calls name the instances.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Ein_Op<string mnemonic, list<Trait> traits = []> : Op<Ein_Dialect, mnemonic, traits>;

def Ein_Real : TypeDef<Ein_Dialect, "Real"> {
  let mnemonic = "real";
  let summary = "a real number whose precision is not chosen yet";
  let description = [{
    Element type of every tensor whose precision the model leaves to the strategy. The phase `precision` replaces it
    by f32 or f64; no later phase sees it. Test: `test/Dialect/Ein/roundtrip.mlir`.
  }];
}

// What every value of a program is.
def Ein_Tensor : Type<CPred<"::plc::ein::isTensor($_self)">,
                      "tensor with extents above 0 and elements real, f32, f64, i32, i64 or i1",
                      "::mlir::RankedTensorType">;

def Ein_Count : TypedSignlessIntegerAttrBase<I64, "int64_t", "a count">;

def Ein_Symbols : TypedArrayAttrBase<FlatSymbolRefAttr, "symbols"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

class Fn<string name, int value> : I32EnumAttrCase<name, value>;

// One scalar function each; the comment gives operands and meaning. Integers wrap: add, sub, mul, neg and abs give the
// lowest bits of the exact result, as two's complement.
def Ein_Function : I32EnumAttr<"Function", "scalar function of a map", [
    Fn<"id", 0>,        // x: copies; with maps it broadcasts, transposes, takes diagonals
    Fn<"neg", 1>, Fn<"abs", 2>,
    Fn<"exp", 3>, Fn<"log", 4>, Fn<"log1p", 5>, Fn<"sin", 6>, Fn<"cos", 7>, Fn<"tan", 8>, Fn<"sqrt", 9>,
    Fn<"rsqrt", 10>, Fn<"erf", 11>, Fn<"tanh", 12>, Fn<"sigmoid", 13>,
    Fn<"floor", 14>, Fn<"ceil", 15>,
    Fn<"round", 16>,    // ties to even
    Fn<"relu", 17>,     // x < 0 ? 0 : x
    Fn<"sign", 18>,     // -1, 0 or 1
    Fn<"add", 20>, Fn<"sub", 21>, Fn<"mul", 22>, Fn<"div", 23>,
    Fn<"max", 24>,      // b > a ? b : a (ties and NaN go to the first)
    Fn<"min", 25>,      // b < a ? b : a
    Fn<"pow", 26>,      // a^b as C has it
    Fn<"floor_div", 28>, // integers: the quotient rounded down; 0 if b is 0
    Fn<"floor_mod", 29>, // integers: a - b * floor_div(a, b); so a if b is 0, else 0 or with the sign of b
    Fn<"eq", 30>, Fn<"ne", 31>, Fn<"lt", 32>, Fn<"le", 33>, Fn<"gt", 34>, Fn<"ge", 35>, // IEEE; result i1
    I32EnumAttrCase<"logical_and", 40, "and">, I32EnumAttrCase<"logical_or", 41, "or">,  // on i1
    I32EnumAttrCase<"logical_not", 42, "not">,
    Fn<"select", 50>    // (c, a, b): c ? a : b; the branch not taken has no influence
  ]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

def Ein_Reduction : I32EnumAttr<"Reduction", "reduction over the dimensions that the result map misses", [
    I32EnumAttrCase<"sum", 0>,
    I32EnumAttrCase<"max", 1>, // from -inf (integers: the smallest), x > m ? x : m
    I32EnumAttrCase<"min", 2>  // from +inf (integers: the largest), x < m ? x : m
  ]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

def Ein_Order : I32EnumAttr<"Order", "order of a reduction", [
    // The reduced dimensions, flattened in ascending order: element i goes to lane i mod 16, each lane ascending from
    // 0 (or -inf, +inf), then lane l takes lane l + 8, l + 4, l + 2, l + 1 in turn.
    I32EnumAttrCase<"lanes", 0>,
    // One chain per result element, from 0 (or -inf, +inf), ascending in the flattened reduced dimensions.
    I32EnumAttrCase<"chain", 1>
  ]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

def Ein_Initializer : I32EnumAttr<"Initializer", "initial distribution of a parameter", [
    I32EnumAttrCase<"constant", 0>, // a
    I32EnumAttrCase<"normal", 1>,   // mean 0, standard deviation a
    I32EnumAttrCase<"uniform", 2>   // between a and b
  ]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

class Ein_WordAttr<EnumInfo words, string mnemonic> : EnumAttr<Ein_Dialect, words, mnemonic> {
  let assemblyFormat = "custom<Word>($value)";
}

def Ein_FunctionAttr : Ein_WordAttr<Ein_Function, "function">;
def Ein_ReductionAttr : Ein_WordAttr<Ein_Reduction, "reduction">;
def Ein_OrderAttr : Ein_WordAttr<Ein_Order, "order">;
def Ein_InitializerAttr : Ein_WordAttr<Ein_Initializer, "initializer">;

#endif
