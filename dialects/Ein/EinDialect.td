//===- EinDialect.td - the ein dialect, its types, enums and interface ----===//
#ifndef PLC_EIN_DIALECT
#define PLC_EIN_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Ein_Dialect : Dialect {
  let name = "ein";
  let cppNamespace = "::plc::ein";
  let summary = "equations between indexed tensors";
  let description = [{
    A program is a list of equations. An *equation* has the extents of one iteration domain, and one affine map per
    operand and result. The map takes a point of the domain to the indices of that tensor. Index names are in
    locations only. The dialect is small and closed under differentiation: models compose what it lacks of what it
    has. `Rationale.md` gives the reasons.

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
    The element type of tensors whose precision the model leaves to the strategy. The phase `precision` replaces it
    by f32 or f64. Test: `test/Dialect/Ein/roundtrip.mlir`.
  }];
}

def Ein_Batch : AttrDef<Ein_Dialect, "Batch", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "batch";
  let summary = "the axis of a tensor that runs along a batch cut in unequal micro-batches";
  let description = [{
    The encoding of a tensor type, in programs whose micro-batches differ in size. The extent of this axis is the
    number of samples of the larger micro-batches; the others have one less (see `ein.model`). Types are equal only
    if they have the same batch axis, so every operation and every call determines where the batch is.

    Made by `--ein-micro-batch`. The code of a kernel is written for one number of samples, without encodings.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %y = ein.contract "ac,cb->ab" %x, %w : (tensor<3x4xf32, #ein.batch<0>>, tensor<4x3xf32>) -> tensor<3x3xf32, #ein.batch<0>>
    ```

    (C1) `axis` is one of the tensor's.
  }];
  let parameters = (ins "int64_t":$axis);
  let assemblyFormat = "`<` $axis `>`";
}

def Ein_Room : AttrDef<Ein_Dialect, "Room", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "room";
  let summary = "how much of a tensor there is in the smaller of unequal micro-batches";
  let description = [{
    The encoding of the type of a kernel's scratch, in programs whose micro-batches differ in size. In micro-batches
    with fewer than `samples` samples, the tensor has `fewer` elements. No axis runs along the batch, since the
    buffers in it have the same offsets in all micro-batches.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %scratch = ein.iota : tensor<208xi32, #ein.room<176 below 2>>
    ```

    (C1) The tensor has rank 1.
    (C2) `fewer` is above 0 and below its extent.
  }];
  let parameters = (ins "int64_t":$fewer, "int64_t":$samples);
  let assemblyFormat = "`<` $fewer `below` $samples `>`";
}

// The type of every value of a program. Elements bf16, f16, i8 and ui8 are storage types: equations only move and cast
// them.
def Ein_Tensor : Type<CPred<"::plc::ein::isTensor($_self)">,
                      "tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1",
                      "::mlir::RankedTensorType">;

class Ein_TensorOf<string domain, string elements>
    : Type<CPred<"::plc::ein::isTensorOf(::plc::ein::Domain::" # domain # ", $_self)">,
           "tensor with extents above 0 and elements " # elements, "::mlir::RankedTensorType">;

// The types that equations compute with.
def Ein_WideTensor : Ein_TensorOf<"Any", "real, f32, f64, i32, i64 or i1">;
def Ein_RealTensor : Ein_TensorOf<"Real", "real, f32 or f64">;
// A parameter has no samples.
def Ein_ParamTensor : Type<And<[CPred<"::plc::ein::isTensor($_self)">, CPred<"!::plc::ein::batchAxisOf($_self)">]>,
                           "tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or "
                           "i1, without a batch axis", "::mlir::RankedTensorType">;
def Ein_IndexTensor : Ein_TensorOf<"Integer", "i32 or i64">;
def Ein_NumberTensor : Ein_TensorOf<"Number", "real, f32, f64, i32 or i64">;

def Ein_Count : ConfinedAttr<TypedSignlessIntegerAttrBase<I64, "int64_t", "a count">, [IntNonNegative]>;

def Ein_Symbols : TypedArrayAttrBase<FlatSymbolRefAttr, "symbols"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def Ein_Reduction : I32EnumAttr<"Reduction", "reduction over the dimensions that the result map misses", [
    I32EnumAttrCase<"sum", 0>,
    I32EnumAttrCase<"max", 1>, // from -inf (integers: the smallest), x > m or x is NaN ? x : m
    I32EnumAttrCase<"min", 2>, // from +inf (integers: the largest), x < m or x is NaN ? x : m
    I32EnumAttrCase<"prod", 3>, // from 1, m * x
    I32EnumAttrCase<"any", 4>, // from false, m or x
    I32EnumAttrCase<"all", 5>  // from true, m and x
  ]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

def Ein_Order : I32EnumAttr<"Order", "order of a reduction", [
    // The reduced dimensions, flattened in ascending order: element i goes to lane i mod 16, each lane ascending from
    // where the reduction begins (a sum: from 0), then lane l takes lane l + 8, l + 4, l + 2, l + 1 in turn.
    I32EnumAttrCase<"lanes", 0>,
    // One chain per result element, from where the reduction begins, ascending in the flattened reduced dimensions.
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

// A body has none until differentiation splits it.
def Ein_BodyRole : I32EnumAttr<"BodyRole", "what a part of a differentiated body computes", [
    I32EnumAttrCase<"F", 0>,  // results and residuals
    I32EnumAttrCase<"B", 1>,  // gradients of data arguments
    I32EnumAttrCase<"W", 2>,  // gradients of parameters
    I32EnumAttrCase<"sum", 3> // two contributions to a gradient: a B that may run where they are made
  ]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

class Ein_WordAttr<EnumInfo words, string mnemonic> : EnumAttr<Ein_Dialect, words, mnemonic> {
  let assemblyFormat = "custom<Word>($value)";
}


// TableGen cannot read Functions.def, the table of scalar functions, so the enum is C++'s and the attribute is built as
// EnumAttr builds one.
def Ein_FunctionAttr : AttrDef<Ein_Dialect, "Function"> {
  let mnemonic = "function";
  let summary = "scalar function of a map";
  let description = [{
    A row of `include/plc/Dialect/Ein/Functions.def`: number and types of the operands, and the meaning.
    `test/Dialect/Ein/roundtrip.mlir` has all of them.
  }];
  let parameters = (ins AttrParameter<"::plc::ein::Function", "a row of Functions.def">:$value);
  let returnType = "::plc::ein::Function";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::plc::ein::FunctionAttr::get($_builder.getContext(), $0)";
  let assemblyFormat = "custom<Word>($value)";
}
def Ein_BodyRoleAttr : Ein_WordAttr<Ein_BodyRole, "role">;
def Ein_ReductionAttr : Ein_WordAttr<Ein_Reduction, "reduction">;
def Ein_OrderAttr : Ein_WordAttr<Ein_Order, "order">;
def Ein_InitializerAttr : Ein_WordAttr<Ein_Initializer, "initializer">;

#endif
