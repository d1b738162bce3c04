//===- Passes.td - ein to ein ---------------------------------------------===//
#ifndef PLC_ALGEBRA_PASSES
#define PLC_ALGEBRA_PASSES

include "mlir/Pass/PassBase.td"

class EinPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::plc::ein::EinDialect"];
}

include "include/plc/Algebra/ShardPasses.td"

def EinEntry : EinPass<"ein-entry"> {
  let summary = "keep what one entry of a model needs";
  let description = [{
    Before: a module with one `ein.model`, as the language makes it. After: the model has only the results that the
    entry needs, the arguments that these need, and the calls that compute them. Bodies that no call names are erased.
    Batch axes and names follow. All parameters stay: what a checkpoint saves does not depend on the entry.

    - `train` needs the scalar `loss`.
    - `eval` needs `loss`, and the other scalars that need no further inputs.
    - `infer` needs all results, or those that `outputs` names, in the model's order.

    A result with a dot in its name is a value of a rule (`attention.3.p`). It is needed only if `outputs` names it, and
    gets the batch axis of its value.

    `grad(NAME)` among the `outputs`, of a real argument or of a parameter, stands for the result that
    `--ein-differentiate` with `wrt=NAME` adds. It needs `loss`, and keeps the argument.

    ```mlir
    ein.model @m(%x, %t) -> (loss, logits)   // --ein-entry{entry=infer outputs=logits}
    ein.model @m(%x) -> logits
    ```
    Test: `test/Algebra/Entries/entry.mlir`.
  }];
  let options = [
    Option<"entry", "entry", "::plc::ProgramKind", "::plc::ProgramKind::train", "train, eval or infer">,
    ListOption<"outputs", "outputs", "std::string", "results that 'infer' computes, grad(NAME) among them; none: all">
  ];
}

def EinOrderLines : EinPass<"ein-order-lines"> {
  let summary = "order a model's lines by their dependences";
  let description = [{
    Before: any `ein.model`. After: the same calls and equations, in an order that follows from the graph alone. So
    bits, cuts and bytes do not depend on the order of independent lines in the text. Nothing is added, erased or
    changed, and bodies are not ordered.

    Each line stands behind the lines that it reads. Of these the longest chain of calls comes first; chains of equal
    length come in the order of the operands. Calls of one iteration of a `repeat` stay together, with the equations
    that only they read. Another equation that frees as many bytes as it makes stands right behind the last line that it
    reads. So a running sum takes each summand as it is made.

    ```mlir
    %c = ein.call @f(%x) path "c"
    %a = ein.call @f(%x) path "a"      // becomes a, b, c: the longer chain
    %b = ein.call @f(%a) path "b"
    %y = ein.call @mix(%c, %b) path "y"
    ```
    Test: `test/Algebra/Precision/order-lines.mlir`.
  }];
}

def EinRandom : EinPass<"ein-random"> {
  let summary = "make draws and the step functions of inputs";
  let description = [{
    Before: `--ein-entry` has chosen an entry. After: there is no `ein.random`, no `ein.training` and no `ein.step`.

    Each call of a body that draws passes a key as a further argument, and the model gets an input for it. The input is
    `#ein.random`, i64, with one key for each sample, or with one key for the run, for draws without a batch axis. A
    draw is `map random` of the key, the site and the element's number in its sample. So it is an equation
    like others: it is recomputed where that is cheaper than to save it, and micro-batches, cuts and recomputation
    change no bit of it. A normal draw is sqrt(-2 log(1 - u)) cos(2 pi v) of two draws u and v (Box and Muller, 1958). A
    `select` by `ein.training` becomes the branch that is taken. The step is an input, `#ein.given<step>`, i32.

    ```mlir
    %u = ein.random site 1 : tensor<4x8xf32>
    // becomes, with %key of `#ein.random<PATH per sample>`
    %0 = ein.map random "a,b->ab" %key, %counter : (tensor<4xi64>, tensor<8xi64>) -> tensor<4x8xi64>
    %u = ein.map mul "ab,->ab" %real, %scale   // the casts of %0, times 2^-24
    ```
    Test: `test/Algebra/Batch/random.mlir`.
  }];
  let options = [
    Option<"entry", "entry", "::plc::ProgramKind", "::plc::ProgramKind::train", "train, eval or infer">
  ];
}

def EinSimplify : EinPass<"ein-simplify"> {
  let summary = "bring equations into one form and drop the dead ones";
  let description = [{
    Before: any `ein` module. After: the model's body holds calls only. Every maximal run of equations between two calls
    is a body of its own (`<model>.<result>`), with one `ein.func` for equal runs. In a body there is:

    - no result that no call needs, and no data argument that only such results read;
    - no dead equation, and no equation twice;
    - no copy (`map id`) that its readers can do by their maps, and no product with 1.

    A contraction that is no matrix product is written as simpler equations. One factor: a `reduce sum`, or `map id` if
    nothing is summed. Two factors, without a sum or without a dimension of its own on either side: a `map mul` and a
    `reduce sum`. Diagonals are taken first. Contractions of three and more factors that sum wait for
    `--ein-order-contractions`.

    All rewrites are exact for every IEEE input. The pass does not touch `x * 0`, `x + 0` and `x - x`.

    ```mlir
    %0 = ein.contract %u, %u over [4, 8] maps [(i, j)->(i, j), (i, j)->(i, j), (i, j)->(i)]
    // becomes
    %1 = ein.map mul(%u, %u) over [4, 8] maps [(i, j)->(i, j), (i, j)->(i, j), (i, j)->(i, j)]
    %0 = ein.reduce sum(%1) over [4, 8] maps [(i, j)->(i, j), (i, j)->(i)]
    ```
    Tests: `test/Algebra/Simplify/simplify.mlir` and its neighbours.
  }];
}

def EinPrecision : EinPass<"ein-precision"> {
  let summary = "choose the precision of every real";
  let description = [{
    Before: tensors may have elements of `!ein.real`. After: each has the element type of reals under `compute`,
    parameters included. Constants stay the f64 of the source and are rounded once, where they are used. Casts that
    convert nothing any more are erased.

    ```mlir
    ein.param @w : tensor<4x8x!ein.real> init normal(0.02, 0.0)    // --ein-precision{compute=f64}
    ein.param @w : tensor<4x8xf64> init normal(0.02, 0.0)
    ```
    Test: `test/Algebra/Precision/precision.mlir`.
  }];
  let options = [Option<"compute", "compute", "::plc::Precision", "::plc::Precision::F32", "f32, f64, mixed or half">];
}

def EinNarrowFactors : EinPass<"ein-narrow-factors"> {
  let summary = "round the factors of contractions, and saved values";
  let description = [{
    Before: contractions are binary, and their precision is chosen. After, if `compute` has factors of a storage type:
    both factors of every f32 contraction are rounded, by an `ein.cast` to that type and one back for each value that is
    read. A table that a gather reads in place is rounded itself. A value that is equal in all iterations of a loop is
    rounded before the loop. Contractions with a factor that the model casts to another storage type stay as they are.

    In a differentiated model, values that F saves for B and W, and B for W, are rounded where they are returned. This
    holds if only contractions, elementwise equations and sums of parameters' gradients read them, and for any value
    that all readers round. Values that were reduced, or computed from such values alone, stay f32: means, variances,
    maxima and sums of rows.

    Runs before differentiation, whose residuals are then the rounded factors. Runs again after it, for the contractions
    that it makes.

    ```mlir
    %y = ein.contract "ac,cb->ab" %x, %w : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    // becomes, with compute=mixed
    %0 = ein.cast %x : (tensor<4x16xf32>) -> tensor<4x16xbf16>
    %1 = ein.cast %0 : (tensor<4x16xbf16>) -> tensor<4x16xf32>
    // .. %w likewise
    %y = ein.contract "ac,cb->ab" %1, %3 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    ```
    Test: `test/Algebra/Precision/narrow-factors.mlir`.
  }];
  let options = [Option<"compute", "compute", "::plc::Precision", "::plc::Precision::F32", "f32, f64, mixed or half">];
}

def EinMicroBatch : EinPass<"ein-micro-batch"> {
  let summary = "check the batch rule and mark the batch";
  let description = [{
    Before: `micro_batches` of the model is 0. After: it is M, and each type with an axis along the batch names it
    (`#ein.batch`), in all bodies alike. Later passes keep it. Extents stay those of the batch; `--ein-cut-batch` makes
    them a micro-batch's.

    The batch rule is checked for every M. Each output of a sample depends on that sample alone. A sum over the batch
    reaches a result of the model only through linear equations, so that the results of micro-batches add up to the
    batch's. It may be divided by a value that such sums of inputs alone make. Those are computed over the whole batch,
    from further arguments `#ein.whole` of the model and of the bodies that divide. Constants, such as the divisor of a
    mean, are those of the whole batch and stay.

    A sum over the batch becomes the last step to its result, which has the batch axis number -2. The linear equations
    in between are computed for each sample, so that no order of additions depends on M. A sum stays where it is if a
    contraction would need more memory for its samples than for its factors, or if a loop, a view or a position reads
    it.

    With `batches` A > 1 the model's samples are those of A batches, which a step accumulates. Each batch is cut into M
    micro-batches, so the step has A * M. Sums over the micro-batches of a step are taken in `groups` accumulation
    groups (`ein.model`).

    Refused: M larger than the batch; more than 65536 micro-batches in a step; `batches` that do not divide the samples,
    or of a model without a batch or without a loss; `groups` that do not divide M.

    ```mlir
    ein.model @m(%x: tensor<8x4xf32>) ... batch = 8      // --ein-micro-batch{micro-batches=4}
    ein.model @m(%x: tensor<8x4xf32, #ein.batch<0>>) ... batch = 8, micro_batches = 4
    ```
    Tests: `test/Algebra/Batch/micro-batch.mlir` and its neighbours.
  }];
  let options = [Option<"microBatches", "micro-batches", "int64_t", "1", "number of micro-batches of a batch">,
                 Option<"batches", "batches", "int64_t", "1", "number of batches of a step">,
                 Option<"ofInputs", "of-inputs", "bool", "false",
                        "gradients of inputs are asked for: divide by sums of a batch that is not cut">,
                 Option<"groups", "groups", "int64_t", "1", "runs of micro-batches that are summed by themselves">];
}

def EinOrderContractions : EinPass<"ein-order-contractions"> {
  let summary = "make contractions binary, in the cheapest order";
  let description = [{
    Before: contractions of any number of factors. After: of two. A dimension that only one factor has is summed first.
    Then, up to 12 factors, the order is the cheapest of all under a cost of multiplications and elements moved (dynamic
    programming over subsets). Beyond, the cheapest pair is multiplied first. An intermediate keeps the dimensions that
    are still needed.

    Then the pass chooses the order of the axes of every result that does not leave its body: those of the first factor,
    in its order, then the second's. So code generation can merge axes to the rows, columns and depth of one strided
    matrix product. The product of `b, c, i` and `o, c`, as in a 1 x 1 convolution, has the order `b, o, i` if `i` fills
    a tile. The maps of all uses follow. Signatures do not change.

    ```mlir
    %y = ein.contract %p, %v, %wo over ...                // b,h,s,t  b,t,h,k  h,k,d -> b,s,d
    %0 = ein.contract %p, %v over ...                     // b,s,h,k
    %y = ein.contract %0, %wo over ...                    // b,s,d
    ```
    Tests: `test/Algebra/Precision/order-contractions.mlir`, `test/Algebra/Precision/layouts.mlir`.
  }];
}

def EinSegmentLoops : EinPass<"ein-segment-loops"> {
  let summary = "make long loops loops of segments";
  let description = [{
    Before: loops as the language makes them, in a program that is differentiated. After: a loop of 64 iterations or
    more, whose number is the product of two numbers of at least 8, is a loop over segments, with the iterations of a
    segment as its body. The number of segments is the largest such divisor that is at most the square root. Values of
    all iterations are the same memory as before.

    So every plan adds up the gradient of a value that all iterations read segment by segment, from the last one. A plan
    may save only the values that segments begin with, and recompute the iterations of a segment before its gradients
    (`--ein-recompute-iterations`).

    ```mlir
    ein.loop iterations 64 carries(%h) slices(%x) with(%w)
    // becomes, with %0 = ein.split %x axis 0 : (tensor<64x4xf32>) -> tensor<8x8x4xf32>
    ein.loop iterations 8 carries(%h) slices(%0) with(%w) attributes {ein.segments} {  // an iteration of it:
      ein.loop iterations 8 carries(%c) slices(%part) with(%a)
    ```
    Test: `test/Algebra/Loops/segment-loops.mlir`.
  }];
}

def EinSplitLoops : EinPass<"ein-split-loops"> {
  let summary = "take equations out of loops that no iteration waits for";
  let description = [{
    Before: loops as the language makes them. After: equations that read no carry stand before the loop, as one equation
    over all iterations, or as they are if they are equal in each. Equations that no carry reads stand behind it. So one
    large product replaces many small ones. Cheap elementwise equations stay in the loop, unless an equation that leaves
    needs them. No order of a sum changes, and so no bit. Equations of a segment (`--ein-segment-loops`) stay in it,
    except for those that are equal in all.

    ```mlir
    ein.loop iterations 5 carries(%h) slices(%x) with(%w, %u) {         // h' = x w + h u
    // becomes
    %0 = ein.contract "ac,cb->ab" %x, %w : (tensor<5x4xf32>, tensor<4x4xf32>) -> tensor<5x4xf32>
    ein.loop iterations 5 carries(%h) slices(%0) with(%u) {             // h' = 0 + h u
    ```
    Test: `test/Algebra/Loops/split-loops.mlir`.
  }];
}

def EinDifferentiate : EinPass<"ein-differentiate"> {
  let summary = "build the gradient of the loss, body by body";
  let description = [{
    Before: the model's body holds calls only (`--ein-simplify`) and has a scalar result `loss`. After: each body that
    the loss depends on is up to three bodies:

    - `F`: its results, then the residuals that the others need;
    - `B`: gradients of its data arguments from those of its results, then residuals for `W`;
    - `W`: gradients of its parameters, each added into an accumulator.

    They are made once for each body, whatever the number of calls. The model calls all F in program order, then B and W
    of each call in reverse.

    A body has no B if none of its data arguments needs a gradient, and no W without trained parameters. B and W clone
    constants, indices and comparisons. They recompute elementwise equations from other residuals where that saves
    bytes, to the same bits. Contributions to one gradient are added as a balanced tree over the consumers in program
    order. A parameter shared by several calls gets an accumulator (site) for each.

    Derivatives are those of the language. `max` and `min` over an axis give the gradient to the first of equal
    elements; `max(a, b)` and `min(a, b)` give half of it to each of two equal ones. `relu` and `abs` have 0 at 0. A
    branch not taken contributes exactly 0 through every equation of its body that leads to it, infinite derivatives
    included. Exceptions are the other factor of a matrix product and tables that are added up (`Rationale.md` of
    `ein`). `ein.stop` is replaced by its input. With `forward-only` nothing else happens.

    With `wrt` the gradients are those of the named arguments and parameters, trained or not, instead of all trained
    parameters. The gradient of an argument `x` becomes a result of the model, `#ein.grad<"x">`, with the argument's
    type and batch axis: one for each sample if it has one, else a sum over the micro-batches. Where `loss` does not
    depend on the argument or parameter, the result is zeros.

    With `scales-loss` the gradients are those of the loss times `#ein.given<loss_scale>`, an input of the model that
    the engine provides. The gradient of the loss is then that input instead of 1.

    Refused: gradients of `max` and `min` over more than 2^24 elements of f32 or 2^53 of f64, because positions are
    counted in that type.

    A gradient that exists already is no result of B: that of `x` in `x * y` is `y`, and calls read it where it is. The
    sum of two contributions is a body of its own with role `sum`, called with the path of the call that made the value.

    Tests: `test/Algebra/Adjoint/differentiate.mlir` and its neighbours.
  }];
  let options = [Option<"forwardOnly", "forward-only", "bool", "false", "no gradient: only replace 'ein.stop'">,
                 ListOption<"wrt", "wrt", "std::string", "arguments and parameters; none: all trained parameters">,
                 Option<"scalesLoss", "scales-loss", "bool", "false", "the gradient of the loss is an input">];
}

def EinRecomputeIterations : EinPass<"ein-recompute-iterations"> {
  let summary = "save what segments begin with, and recompute their iterations";
  let description = [{
    Before: a differentiated program, whose backward loops of segments (`--ein-segment-loops`) read values that the
    iterations of the forward loops saved. After: the forward loops return what each segment begins with instead. A
    segment of a backward loop first runs the forward loop's equations again, from that and from the values that those
    read. So a loop of T iterations saves the carries of about sqrt(T) segments, and the values of one segment at a
    time.

    The same equations run on the same values, so no bit changes. `--verify-numerics` finds the same program: a value of
    a loop is one that an iteration of that loop makes.

    ```mlir
    // F gives %saved : tensor<8x8x4xf32>, an element of its loop; B:
    ein.loop iterations 8 reverse carries(%g) slices(%saved) with(%w) attributes {ein.segments}
    // becomes, of %begin : tensor<8x4xf32>, what the segments began with, and %x, what F's loop read
    ein.loop iterations 8 reverse carries(%g) slices(%begin, %x) with(%w) attributes {ein.segments} {
      %saved = ein.loop iterations 8 carries(%b) slices(%part) with(%a)    // then the iterations of the backward loop
    ```
    Test: `test/Algebra/Loops/recompute-iterations.mlir`.
  }];
}

def EinUpdateStates : EinPass<"ein-update-states"> {
  let summary = "write the new value of each state into its memory";
  let description = [{
    Before: a result `#ein.state` of the model is any value. After: an `ein.put` makes it, into the argument of that
    name, and no equation reads that argument behind it. A state whose new value is the old one is no result any more.

    An update of one position of an axis has the form `if t == pos[..] then row[..] else old[..]`. Then `ein.put`
    replaces that position, and every reader of the new value reads the state. Other readers of the old value must run
    before (`after`). If one of them is made from the new value, or if the new value has another form, it is computed as
    it is and put as a whole. Bits do not change.

    ```mlir
    %m = ein.map eq "a,b->ba" %t, %pos           // new[b, h, t, k] = if t == pos[b] then row[b, h, k] else old[b, h, t, k]
    %new = ein.map select "ba,bcd,bcad->bcad" %m, %row, %old
    %new = ein.put "abc,i=a->abic" %row, %pos into %old
    ```
    Test: `test/Algebra/Entries/update-states.mlir`.
  }];
}

def EinCopyResults : EinPass<"ein-copy-results"> {
  let summary = "make each result of the model a value of its own";
  let description = [{
    Before: the model's body holds calls only (`--ein-simplify`). A result may be an argument, a parameter or another
    result, also through bodies that return an argument, or one value twice. After: each is made by an equation and is
    no other result. Where it was not, a body `<model>.<result>` copies it (`map id`), called behind the value that it
    copies. So the plan gives each output an offset of its own. The pass stands behind the last `--ein-simplify`, which
    drops copies.

    ```mlir
    ein.model @m(%x) -> (y) { ein.return %x }
    ein.model @m(%x) -> (y) { %0 = ein.call @m.y(%x) path "m.y"  ein.return %0 }
    ```
    Test: `test/Algebra/Entries/copy-results.mlir`.
  }];
}

#endif
