//===- EinOps.td - equations ----------------------------------------------===//
#ifndef PLC_EIN_OPS
#define PLC_EIN_OPS

include "dialects/Ein/EinDialect.td"
include "dialects/Ein/EinInterfaces.td"
include "dialects/Ein/EinLoop.td"
include "dialects/Ein/EinProgram.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Ein_Equation<string mnemonic, list<Trait> traits = []>
    : Ein_Op<mnemonic, !listconcat([Pure, Ein_EquationInterface], traits)> {
  let results = (outs Ein_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;

  // What the interface says of the operand `accumulator`, under a condition on the operation.
  code accumulating = [{
    void accumulateInto(::mlir::Value accumulator) { getAccumulatorMutable().assign(accumulator); }
  }];
}

// Accumulation, shared by contract, reduce and scatter_add: the sum continues from the accumulator, which counts as 0
// while it is vacant (in the first micro-batch).

def Ein_ContractOp : Ein_Equation<"contract", [AttrSizedOperandSegments]> {
  let summary = "sum of a product of tensors";
  let description = [{
    result[r] = sum over the dimensions that r misses of the product of the inputs. Made by the language (any number
    of factors) and differentiation; `--ein-order-contractions` makes it binary; consumed by code generation.

    `order` (set by `--ein-fix-numerics`) lists the summed dimensions, slowest first. Flattened in that order, they
    are cut in blocks of 256. Each block is one ascending chain `c = fma(a, b, c)` from 0. Blocks are added in
    ascending order, to the accumulator if there is one that is not vacant. Three words change the blocks:

    - `anew` G: blocks begin anew at every G-th index of the first dimension of `order`.
    - `chain`: there are no blocks. The sum is one chain, which begins at the accumulator.
    - `pairs`: blocks have 32 elements and begin anew likewise, and the sum begins at the accumulator or at 0. Each
      block has two chains from 0: `e = fma(a, b, e)` of its elements 0, 2, .., 30 and `o` likewise of 1, 3, .., 31.
      Then `c = c + (e + o)`. A short last block is filled with products of zeros. A subnormal factor or sum counts
      as zero, and a subnormal result is a zero of its sign. So TDPBF16PS computes it (Intel SDM);
      `--ein-fix-numerics` sets it where both factors are widened from bf16, or both from f16.

    Products and sums are taken in the type `sum`, which holds factors and accumulator exactly; the sum is rounded
    once, to the result. By default it is the type of the table of element types (`Support/ElementTypes.def`): f32
    for f32, f64 for f64.

    Example: `%y = ein.contract "ac,cb->ab" %x, %w : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>`, in
    `test/Dialect/Ein/roundtrip.mlir`.

    (C1) Extents are positive; there is a map for each input and one for the result, over the extents' dimensions.
    (C2) Each map's result is a dimension, with the extent that its tensor has there. Batch axes (`#ein.batch`) are
    indexed by one dimension, which indexes no other axis.
    (C3) The result's map repeats no dimension; every dimension of the domain occurs in an input's map.
    (C4) Inputs and result have one element type; the accumulator has the result's type.
    (C5) `order` lists each summed dimension once.
    (C6) `sum` is the type that the table has for sums of such elements.
    (C7) `anew`, `chain` and `pairs` need an `order`, and `chain` excludes the others; `anew` divides the extent of the
    order's first dimension.
    (C8) `pairs` sums two factors of f32.
  }];
  let arguments = (ins Variadic<Ein_RealTensor>:$inputs, Optional<Ein_RealTensor>:$accumulator,
                       DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps, OptionalAttr<DenseI64ArrayAttr>:$order,
                       OptionalAttr<TypeAttr>:$sum, OptionalAttr<I64Attr>:$anew, UnitAttr:$chain,
                       UnitAttr:$pairs);
  let extraClassDeclaration = accumulating # [{
    bool canAccumulate() { return true; }
    /// The type that the sums are taken in: `sum`, else the table's.
    ::mlir::Type getSumType();
  }];
}

def Ein_MapOp : Ein_Equation<"map"> {
  let summary = "one scalar function of tensors, elementwise";
  let description = [{
    result[r] = function(inputs at the maps of the same point of the domain). Maps broadcast, transpose and take
    diagonals. `select` takes an i1 first. Comparisons return i1. Only `id` and `select` take elements of storage types
    (bf16, f16, i8, ui8).

    Example: `%y = ein.map add "ab,b->ab" %x, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`, in
    `test/Dialect/Ein/roundtrip.mlir`.

    (C1), (C2) as `ein.contract`.
    (C3) The result's map is a permutation of the domain.
    (C4) The number and element types of the inputs, and the result's, are the function's.
  }];
  let arguments = (ins Ein_FunctionAttr:$function, Variadic<Ein_Tensor>:$inputs,
                       DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps);
}

def Ein_ReduceOp : Ein_Equation<"reduce"> {
  let summary = "sum, product, maximum, minimum, 'there is' or 'for all' over dimensions";
  let description = [{
    result[r] = reduction of the input over the dimensions that r misses, in the `order` that `--ein-fix-numerics`
    sets. A `sum` may accumulate: with order `chain` it begins at the accumulator, with order `lanes` it is added to
    it. Sums and products of integers wrap, in any order. `sum TYPE` is the type that a sum is taken in, as in
    `ein.contract`; `--ein-fix-numerics` makes it f64 for chains of more than 4,096 numbers.

    Example: `%y = ein.reduce max "ab->a" %x : (tensor<2x3xf32>) -> tensor<2xf32>`, in
    `test/Dialect/Ein/roundtrip.mlir`.

    (C1), (C2) as `ein.contract`.
    (C3) The result's map repeats no dimension; every dimension occurs in the input's map.
    (C4) Input, result and accumulator have one element type; only a sum accumulates.
    (C5) As (C6) of `ein.contract`, or f64 of real elements; only a sum has the type of one.
    (C6) `any` and `all` are of i1, the others of numbers.
  }];
  let arguments = (ins Ein_ReductionAttr:$reduction, Ein_WideTensor:$input,
                       Optional<Ein_WideTensor>:$accumulator, DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps,
                       OptionalAttr<Ein_OrderAttr>:$order, OptionalAttr<TypeAttr>:$sum);
  let extraClassDeclaration = accumulating # [{
    bool canAccumulate() { return getReduction() == Reduction::sum; }
    ::mlir::OperandRange getInputs() { return getOperation()->getOperands().take_front(1); }
    /// The type that it is taken in: of a sum `sum`, else the table's; of a product the table's; else the elements'.
    ::mlir::Type getSumType();
  }];
}

def Ein_GatherOp : Ein_Equation<"gather"> {
  let summary = "read a tensor at positions that tensors hold";
  let description = [{
    result[r] = table[t]; the equation's inputs are the table, then the index tensors. The table's map has one symbol
    per index tensor: its value at the same point of the domain. An index outside the table is a run-time error.
    Adjoint: `ein.scatter_add`.

    Example: `%y = ein.gather "ic,i=ab->abc" %wte, %tok : (tensor<256x8xf32>, tensor<2x3xi32>) -> tensor<2x3x8xf32>`:
    y[a, b, c] = wte[i, c], where i = tok[a, b]. In `test/Dialect/Ein/roundtrip.mlir`.

    (C1) As `ein.contract`; the table's map has one symbol per index tensor.
    (C2) As `ein.contract`; a symbol may stand for any extent but the batch.
    (C3) The result's map is a permutation of the domain.
    (C4) Table and result have one element type.
  }];
  let arguments = (ins Ein_Tensor:$table, Variadic<Ein_IndexTensor>:$indices, DenseI64ArrayAttr:$extents,
                       AffineMapArrayAttr:$maps);
  let extraClassDeclaration = [{
    ::mlir::OperandRange getInputs() { return getOperation()->getOperands(); }
  }];
}

def Ein_ScatterAddOp : Ein_Equation<"scatter_add", [AttrSizedOperandSegments]> {
  let summary = "add to a tensor at positions that tensors hold, or take the maximum, minimum or product";
  let description = [{
    result = 0 (or the accumulator), then result[t] += updates[u] at each point of the domain in ascending order.
    The equation's inputs are the updates, then the index tensors. The result's map has one symbol per index tensor.
    Adjoint of `ein.gather`.

    With `max`, `min` or `prod` it begins at what that reduction begins at (see `ein.reduce`), and joins by it in place
    of the addition. Made by the language for `y[t[i]] max= e`, and by the adjoint of `max` for the first winner.

    With a factor, the last input, it is result[t] = fma(updates[u], factor[v], result[t]). `--ein-fix-numerics`
    makes this of outer products, which are then not rounded before they are added.

    Example: `%y = ein.scatter_add "abc,i=ab->ic" %dx, %tok : (tensor<2x3x8xf32>, tensor<2x3xi32>) ->
    tensor<256x8xf32>`: y[i, c] += dx[a, b, c], where i = tok[a, b]. In `test/Dialect/Ein/roundtrip.mlir`.

    (C1), (C2) As `ein.gather`, with result for table.
    (C3) The updates' map is a permutation of the domain. With a factor, neither's map repeats a dimension, and each
    dimension is in one.
    (C4) Updates, factor and result have one element type, as has the accumulator.
    (C5) The elements are numbers.
    (C6) `reduction` is absent, which is a sum, or `max`, `min` or `prod`, without a factor and an accumulator.
  }];
  let arguments = (ins Ein_WideTensor:$updates, Variadic<Ein_IndexTensor>:$indices, Optional<Ein_RealTensor>:$factor,
                       Optional<Ein_WideTensor>:$accumulator, DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps,
                       OptionalAttr<Ein_ReductionAttr>:$reduction);
  let extraClassDeclaration = accumulating # [{
    bool canAccumulate() { return !getReduction(); }
    ::mlir::OperandRange getInputs() { return getOperation()->getOperands().drop_back(bool(getAccumulator())); }
    /// How updates are joined.
    Reduction getJoin() { return getReduction().value_or(Reduction::sum); }
  }];
}

def Ein_PutOp : Ein_Equation<"put", [AttrSizedOperandSegments]> {
  let summary = "replace elements of a state at positions that tensors hold";
  let description = [{
    result = the accumulator, then result[t] = updates[u] at each point of the domain in ascending order. The
    equation's inputs are the updates, then the index tensors. The result's map has one symbol per index tensor. A
    point with a position outside of the result writes nothing. Without index tensors it replaces all elements.

    The accumulator is a state (see `ein.state`), whose memory the result has: a kernel writes only the updates.
    `after` lists values computed from the state's earlier contents: they must be computed first. Made by
    `--ein-update-states`, one for each state. It has no adjoint, as states have none.

    Example: `%y = ein.put "ab,i=a->aib" %k, %pos into %old : tensor<2x8x3xf32> : (tensor<2x3xf32>, tensor<2xi32>) ->
    tensor<2x8x3xf32>`: y[a, i, b] = k[a, b], where i = pos[a]. In `test/Dialect/Ein/put.mlir`.

    (C1), (C2) As `ein.gather`, with result for table.
    (C3) The updates' map is a permutation of the domain.
    (C4) Updates and result have one element type; the accumulator has the result's type.
  }];
  let arguments = (ins Ein_Tensor:$updates, Variadic<Ein_IndexTensor>:$indices, Variadic<Ein_Tensor>:$after,
                       Ein_Tensor:$accumulator, DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps);
  let extraClassDeclaration = accumulating # [{
    bool canAccumulate() { return true; }
    ::mlir::OperandRange getInputs() { return getOperation()->getOperands().take_front(1 + getIndices().size()); }
    /// The least extent of the axes that tensors hold positions of; 0 without any.
    int64_t countPositions();
  }];
}

// The same elements under other indices: nothing moves. `ein.split` and `ein.merge` are inverse, so each is the other's
// adjoint. Code generation reads and writes through them.
class Ein_Regroup<string mnemonic> : Ein_Op<mnemonic, [Pure]> {
  let arguments = (ins Ein_Tensor:$input, Ein_Count:$axis);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` functional-type($input, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ein_SplitOp : Ein_Regroup<"split"> {
  let summary = "one axis seen as several";
  let description = [{
    result[.., i, j, .., k, ..] = input[.., (i J + j) .. K + k, ..]: the axis `axis` of the input is counted by several
    axes of the result, slowest first, which begin at the same position. Made by the language for `x[.., 2*i + p, ..]`
    and as the adjoint of `ein.merge`; kernels read through it.

    Example: `%y = ein.split %x axis 1 : (tensor<4x6x8xf32>) -> tensor<4x3x2x8xf32>`.

    (C1) `axis` is an axis of the input.
    (C2) The result has at least one axis more; the others have the input's extents, and its batch axis is one of them.
    (C3) The product of the new extents is the axis's; the element types are equal.
  }];
}

def Ein_MergeOp : Ein_Regroup<"merge"> {
  let summary = "several axes seen as one";
  let description = [{
    result[.., (i J + j) .. K + k, ..] = input[.., i, j, .., k, ..]: axes of the input that begin at `axis` become the
    axis `axis` of the result. Made by the language for left sides `y[.., 2*i + p, ..] = ..` and as the adjoint of
    `ein.split`; kernels read and write through it.

    Example: `%y = ein.merge %x axis 1 : (tensor<4x3x2x8xf32>) -> tensor<4x6x8xf32>`.

    (C1) `axis` is an axis of the result.
    (C2), (C3) As `ein.split`, with input and result exchanged.
  }];
}

def Ein_WindowOp : Ein_Op<"window", [Pure]> {
  let summary = "sub-ranges of a tensor, one at each point of other indices";
  let description = [{
    result[d] = input[map(d)]: axes of the input are read at affine positions. Elements may be read more than once (a
    convolution's windows) or not at all (a sub-range, a stride). Made by the language for `x[.., 2*i + p - 1, ..]`;
    kernels read through it. Its adjoint adds up the gradients of all windows that have an element
    (`lib/Algebra/Adjoint/WindowAdjoint.cpp`).

    Example: `%w = ein.window %x at affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)> : (tensor<4x9xf32>) ->
    tensor<4x4x3xf32>`, in `test/Dialect/Ein/roundtrip.mlir`.

    (C1) The map has a dimension for each axis of the result, no symbol, and a result for each axis of the input.
    (C2) Each result of the map is an integer and integer multiples of dimensions, and no two have the same dimension;
    every dimension is in one.
    (C3) No position is outside the input.
    (C4) Input and result have one element type. The batch axis of the input is read at a single dimension, the batch
    axis of the result, of the same extent.
  }];
  let arguments = (ins Ein_Tensor:$input, AffineMapAttr:$map);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "$input `at` $map attr-dict `:` functional-type($input, $result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The positions along the axes of the input, of a map that has (C2).
    ::llvm::SmallVector<AxisPositions> getPositions();
    /// The axis of the result that shows this axis of the input as it is, if one does.
    std::optional<int64_t> shownWhole(int64_t inputAxis);
  }];
}

def Ein_InsertSliceOp : Ein_Op<"insert_slice", [Pure]> {
  let summary = "a tensor as a sub-range of a larger one, 0 elsewhere";
  let description = [{
    result[map(d)] = input[d]; the other elements are 0 (or false). Made by the language for sub-ranges of an axis on a
    left side and for `pad(x[..])`, and as the adjoint of an `ein.window` that reads each element once at most.

    Example: `%y = ein.insert_slice %x at affine_map<(d0, d1) -> (d0, d1 * 2 + 1)> : (tensor<2x3xi1>) ->
    tensor<2x8xi1>`, in `test/Dialect/Ein/roundtrip.mlir`.

    (C1) Input and result have one rank and one element type.
    (C2) The map gives axis i of the result as an integer and a positive multiple of di.
    (C3) No position is outside the result.
    (C4) The batch axes are one axis, at the same positions.
  }];
  let arguments = (ins Ein_Tensor:$input, AffineMapAttr:$map);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "$input `at` $map attr-dict `:` functional-type($input, $result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The positions along each axis of the result: of the axis's own dimension.
    ::llvm::SmallVector<AxisPositions> getPositions();
    /// Whether an axis of the result is the input's, as it is.
    bool keepsWhole(int64_t axis);
  }];
}

def Ein_IotaOp : Ein_Op<"iota", [Pure]> {
  let summary = "the index itself";
  let description = [{
    result[i] = i. Never materialised: code generation reads the loop index.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %i = ein.iota : tensor<3xi32>
    ```

    (C1) The result has rank 1, element type i32 or i64, and no batch axis: each micro-batch would count from 0.
  }];
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Ein_ConstantOp : Ein_Op<"constant", [Pure]> {
  let summary = "a number, as a tensor of rank 0";
  let description = [{
    In f32 the value is the f64 rounded once to nearest.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %half = ein.constant 0.5 : tensor<!ein.real>
    ```

    (C1) The result has rank 0. (C2) The value of an integer or i1 constant is integral and in range.
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs Ein_WideTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

include "dialects/Ein/EinDraws.td"

def Ein_CastOp : Ein_Op<"cast", [Pure]> {
  let summary = "convert the element type";
  let description = [{
    Every conversion between element types is a cast. To reals it rounds to nearest, ties to even, once (f64 to bf16
    too). Real to integer rounds toward 0, and gives the smallest integer if the value does not fit or is NaN.
    Integer to integer wraps; i1 is 0 or 1. Equations compute with elements of storage types (bf16, f16, i8, ui8)
    behind a cast, which is exact. Made by the language where a tensor of such a type is read or defined.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %z = ein.cast %tok : (tensor<2x3xi32>) -> tensor<2x3x!ein.real>
    ```

    (C1) Input and result have one shape and batch axis.
  }];
  let arguments = (ins Ein_Tensor:$input);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type($input, $result)";
  let hasVerifier = 1;
}

def Ein_StopOp : Ein_Op<"stop", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "the value, with derivative 0";
  let description = [{
    Made by the language; `--ein-differentiate` replaces it by its input, in forward programs too.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %q = ein.stop %r : tensor<2x3x!ein.real>
    ```
  }];
  let arguments = (ins Ein_Tensor:$input);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Ein_NextOp : Ein_Op<"next", [Pure, AllTypesMatch<["input", "result"]>, AllTypesMatch<["param", "value"]>]> {
  let summary = "the input, and the value that a training step gives to a frozen parameter";
  let description = [{
    Made by the language for `next NAME` of a parameter (running means of a norm). The result is `input`, a result of
    the layer. A training program that computes the gradient of the result accumulates `value` for the parameter, and
    the step replaces the parameter by it; the parameter has no gradient. `--ein-differentiate` replaces the operation
    by its input, in other programs too.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %z = ein.next %y, %mean = %new : tensor<2x3x!ein.real>, tensor<3x!ein.real>
    ```

    (C1) `input` and `param` are real.
    (C2) `param` is an argument of a body that is a parameter.
  }];
  let arguments = (ins Ein_Tensor:$input, Ein_Tensor:$param, Ein_Tensor:$value);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "$input `,` $param `=` $value attr-dict `:` type($input) `,` type($param)";
  let hasVerifier = 1;
}

#endif
