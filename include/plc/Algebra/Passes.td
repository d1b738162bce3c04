//===- Passes.td - ein to ein ---------------------------------------------===//
#ifndef PLC_ALGEBRA_PASSES
#define PLC_ALGEBRA_PASSES

include "mlir/Pass/PassBase.td"

class EinPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::plc::ein::EinDialect"];
}

def EinEntry : EinPass<"ein-entry"> {
  let summary = "keep what one entry of a model needs";
  let description = [{
    Before: a module with one `ein.model`, as the language made it. After: the model has only the results that the
    entry needs (`train`: the scalar `loss`; `eval`: that and the scalars that need no other inputs; `infer`: all, or the ones that `outputs` names, in the model's
    order), the arguments that they need, and the calls that compute them; bodies that nothing calls are gone. Batch
    axes and names follow. Parameters all stay: what is saved does not depend on the entry.

    Results with a dot in their name are values of rules (`attention.3.p`): they are needed only if `outputs` names them,
    and get the batch axis that their value has.

    `grad(NAME)` among the `outputs`, of a real argument or of a parameter, stands for what `--ein-differentiate` with
    `wrt=NAME` makes of the rest: it needs `loss`, and keeps the argument.

    ```mlir
    ein.model @m(%x, %t) -> (loss, logits)   // --ein-entry{entry=infer outputs=logits}
    ein.model @m(%x) -> logits
    ```
    Test: `test/Algebra/entry.mlir`.
  }];
  let options = [
    Option<"entry", "entry", "::plc::ProgramKind", "::plc::ProgramKind::train", "train, eval or infer">,
    ListOption<"outputs", "outputs", "std::string", "results that 'infer' computes, grad(NAME) among them; none: all">
  ];
}

def EinOrderLines : EinPass<"ein-order-lines"> {
  let summary = "order a model's lines by what reads what";
  let description = [{
    Before: any `ein.model`. After: the same calls and equations, in an order that follows from the graph alone, so that bits, cuts
    and bytes do not depend on how independent lines stand in the text. Nothing is added, erased or changed, nor are
    bodies ordered.

    Each line stands behind what it reads. Of what a line reads, the longest chain of calls comes first; equally long ones come in the
    order of the operands. Calls of one turn of a `repeat` stay together, with the equations that they alone read. Another equation
    that frees as many bytes as it makes stands right behind the last line that it reads, so that a running sum takes each summand as
    it is made.

    ```mlir
    %c = ein.call @f(%x) path "c"
    %a = ein.call @f(%x) path "a"      // becomes a, b, c: the longer chain
    %b = ein.call @f(%a) path "b"
    %y = ein.call @mix(%c, %b) path "y"
    ```
    Test: `test/Algebra/order-lines.mlir`.
  }];
}

def EinRandom : EinPass<"ein-random"> {
  let summary = "make draws and the step functions of inputs";
  let description = [{
    Before: `--ein-entry` has chosen an entry. After: there is no `ein.random`, no `ein.training` and no `ein.step`.

    Each call of a body that draws gets a key as a further argument, and the model an input for it: `random(PATH)`,
    i64, one key for each sample, or `random(all, PATH)`, one for all, for draws that no batch axis has. A draw is `map random`
    of the key and of the site and the element's number in its sample; so it is an equation like others, which is made again where
    it is cheaper than to be kept, and micro-batches, cuts and recomputation change no bit of it. A normal draw is
    sqrt(-2 log(1 - u)) cos(2 pi v) of two draws u and v. A `select` by `ein.training` is its branch. The step is an input `step()`, i32.

    ```mlir
    %u = ein.random site 1 : tensor<4x8xf32>
    // becomes, with %key = random(PATH)
    %0 = ein.map random "a,b->ab" %key, %counter : (tensor<4xi64>, tensor<8xi64>) -> tensor<4x8xi64>
    %u = ein.map mul "ab,->ab" %real, %scale   // the casts of %0, times 2^-24
    ```
    Test: `test/Algebra/random.mlir`.
  }];
  let options = [
    Option<"entry", "entry", "::plc::ProgramKind", "::plc::ProgramKind::train", "train, eval or infer">
  ];
}

def EinSimplify : EinPass<"ein-simplify"> {
  let summary = "bring equations into one form and drop the dead ones";
  let description = [{
    Before: any ein module. After: the model's body holds calls only; every maximal run of equations between two calls
    is a body of its own (`<model>.<result>`), with one `ein.func` for equal runs. In every body: no result that no
    call needs, no data argument that only such results read, no dead equation, no equation twice, no copy (`map id`)
    that its readers can do by their maps, no product with 1.

    A contraction that is no matrix product is written as what it is: of one factor, a `reduce sum` (`map id` if
    nothing is summed); without dimensions of its own on either side or without a sum, a `map mul` and a `reduce sum`.
    Diagonals are taken first. Contractions of three and more factors that sum wait for `--ein-order-contractions`.

    Only rewrites that are exact for every IEEE input; it does not touch `x * 0`, `x + 0`, `x - x`.

    ```mlir
    %0 = ein.contract %u, %u over [4, 8] maps [(i, j)->(i, j), (i, j)->(i, j), (i, j)->(i)]
    // becomes
    %1 = ein.map mul(%u, %u) over [4, 8] maps [(i, j)->(i, j), (i, j)->(i, j), (i, j)->(i, j)]
    %0 = ein.reduce sum(%1) over [4, 8] maps [(i, j)->(i, j), (i, j)->(i)]
    ```
    Tests: `test/Algebra/simplify.mlir`, `test/Algebra/prune.mlir`, `test/Algebra/outline.mlir`.
  }];
}

def EinPrecision : EinPass<"ein-precision"> {
  let summary = "choose the precision of every real";
  let description = [{
    Before: tensors may be of `!ein.real`. After: none is; each is of the type that `compute` has for reals. Parameters too. Constants stay the f64
    of the source, rounded once where they are used. Casts that convert nothing any more are gone.

    ```mlir
    ein.param @w : tensor<4x8x!ein.real> init normal(0.02, 0.0)    // --ein-precision{compute=f64}
    ein.param @w : tensor<4x8xf64> init normal(0.02, 0.0)
    ```
    Test: `test/Algebra/precision.mlir`.
  }];
  let options = [Option<"compute", "compute", "::plc::Precision", "::plc::Precision::F32", "f32, f64, mixed or half">];
}

def EinNarrowFactors : EinPass<"ein-narrow-factors"> {
  let summary = "round the factors of contractions, and what is saved";
  let description = [{
    Before: contractions are binary and their reals chosen. After, where `compute` has factors of a narrow type: both factors of
    every contraction of f32 are widened from it, by an `ein.cast` to it and one back for each value that is read; a table that a gather
    reads in place is rounded itself, and what is the same in all turns of a loop before it. Contractions of which the model writes a factor in another narrow type stay as they are.

    In a differentiated model, what forward parts save for the other parts, and backward parts for those of the weights, is rounded
    when it is given, if it is read by contractions, elementwise equations and sums of parameters' gradients alone; so is any value that
    all readers round. What was reduced, and what is
    computed of that alone, stays f32: means, variances, maxima and sums of rows.

    Runs before differentiation, whose residuals are then the rounded factors, and after it, for the contractions that it makes.

    ```mlir
    %y = ein.contract "ac,cb->ab" %x, %w : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    // becomes, with compute=mixed
    %0 = ein.cast %x : (tensor<4x16xf32>) -> tensor<4x16xbf16>
    %1 = ein.cast %0 : (tensor<4x16xbf16>) -> tensor<4x16xf32>
    // .. %w likewise
    %y = ein.contract "ac,cb->ab" %1, %3 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    ```
    Test: `test/Algebra/narrow-factors.mlir`.
  }];
  let options = [Option<"compute", "compute", "::plc::Precision", "::plc::Precision::F32", "f32, f64, mixed or half">];
}

def EinMicroBatch : EinPass<"ein-micro-batch"> {
  let summary = "check the batch rule and mark the batch";
  let description = [{
    Before: `micro_batches` of the model is 0. After: it is M, and each type with an axis along the batch says which one that is
    (`#ein.batch`), in all bodies alike; later passes keep it. Extents stay the batch's: `--ein-cut-batch` makes them a
    micro-batch's.

    The batch rule is checked whatever M is: each output of a sample depends on that sample alone, and a sum over the
    batch only goes on through linear equations to a result of the model, so that the results of micro-batches add up
    to the batch's. It may be divided by what such sums of inputs alone make: sums over all of the batch, of
    further arguments `whole(x)` of the model and of the bodies that divide. Constants, such as the divisor of a mean, are those of the whole batch and stay.

    A sum over the batch becomes the last step to its result, which has the batch axis number -2: what is linear in between is
    computed for each sample, so that no order of additions depends on M. A sum stays where it is if a contraction would need more room
    for its samples than for its factors, or if a loop, a view or a position reads it.

    With `batches` A > 1 the model's samples are those of A batches, which a step accumulates: each is cut in M micro-batches, so
    that there are A * M.

    What is summed over the micro-batches of the step, is so in `lanes` (`ein.model`).

    Refused: M larger than the batch; `batches` that do not divide the samples, or of a model without a batch or without a loss; more than 65536 micro-batches in a step; lanes that do not divide M.

    ```mlir
    ein.model @m(%x: tensor<8x4xf32>) ... batch = 8      // --ein-micro-batch{micro-batches=4}
    ein.model @m(%x: tensor<8x4xf32, #ein.batch<0>>) ... batch = 8, micro_batches = 4
    ```
    Tests: `test/Algebra/micro-batch.mlir`, `test/Algebra/whole-inputs.mlir`, `test/Algebra/ragged.mlir`, `test/Algebra/accumulate.mlir`,
    `test/Algebra/sample-sums.mlir`, `test/Algebra/micro-batch-errors.mlir`.
  }];
  let options = [Option<"microBatches", "micro-batches", "int64_t", "1", "number of micro-batches of a batch">,
                 Option<"batches", "batches", "int64_t", "1", "number of batches of a step">,
                 Option<"ofInputs", "of-inputs", "bool", "false", "gradients of inputs are asked for: divide by sums of a batch that is not cut">,
                 Option<"lanes", "lanes", "int64_t", "1", "runs of micro-batches that are summed by themselves">];
}

def EinShard : EinPass<"ein-shard"> {
  let summary = "divide sizes of a model, so that several ranks share its layers";
  let description = [{
    Before: parameters tell the `sizes` of their axes, bodies are as the language made them. After: no parameter tells sizes
    any more, and each that had one of the given `sizes` is as many parameters as that has parts, `part(PATH, axis A, P of N)`,
    equal parts along that axis, the first of such size. In bodies whatever follows from them is computed for each part, up to where the
    dimension is summed away: there the parts' sums are added pairwise, so that the order of the sum is the program's,
    whoever computes the parts. A result of a body stays in parts on its way to the next, of which there is a variant for
    each way in which its arguments are divided; it is put together where it is needed as a whole, and by the model's results.
    A state whose new value is in parts is so many states, if its body needs none as a whole. A table is looked up in each part,
    and the position selects. A loop whose turns do each part by itself, as a scan does, is a loop for each part.

    ```mlir
    %h = ein.contract "ac,cb->ab" %x, %w1    // --ein-shard{sizes=F=2}
    %y = ein.contract "ac,cb->ab" %h, %w2
    // becomes
    %h0 = ein.contract "ac,cb->ab" %x, %w1.0   // and %h1, of %w1.1
    %y0 = ein.contract "ac,cb->ab" %h0, %w2.0  // and %y1, of %h1 and %w2.1
    %y = ein.map add "ab,ab->ab" %y0, %y1
    ```

    Refused: a size that no parameter has, or that its parts do not divide; different numbers of parts; a parameter
    that is needed as a whole, such as a recurrent layer's in each turn.

    Tests: `test/Algebra/shard.mlir`, `test/Algebra/shard-loops.mlir`, `test/Algebra/shard-errors.mlir`.
  }];
  let options = [ListOption<"sizes", "sizes", "std::string", "sizes that are divided, and in how many parts: NAME=PARTS">];
}

def EinOrderContractions : EinPass<"ein-order-contractions"> {
  let summary = "make contractions binary, in the cheapest order";
  let description = [{
    Before: contractions of any number of factors. After: of two. A dimension that only one factor has is summed
    first; then, up to 12 factors, the order is the cheapest of all under a cost of multiplications and elements moved
    (dynamic programming over subsets; beyond, the cheapest pair first). An intermediate keeps the dimensions that are
    still needed.

    Then the order of the axes of every result that does not leave its body is chosen: those of the first factor, in
    its order, then the second's, so that code generation can merge axes to the rows, columns and depth of one strided
    matrix product. Of a product of `b, c, i` and `o, c`, as a convolution of 1 by 1 is, it is `b, o, i` if `i` fills a tile. The maps of
    all uses follow. Signatures do not change.

    ```mlir
    %y = ein.contract %p, %v, %wo over ...                // b,h,s,t  b,t,h,k  h,k,d -> b,s,d
    %0 = ein.contract %p, %v over ...                     // b,s,h,k
    %y = ein.contract %0, %wo over ...                    // b,s,d
    ```
    Tests: `test/Algebra/order-contractions.mlir`, `test/Algebra/layouts.mlir`.
  }];
}

def EinSegmentLoops : EinPass<"ein-segment-loops"> {
  let summary = "make loops of many turns loops of segments";
  let description = [{
    Before: loops as the language made them, in a program that is differentiated. After: one of 64 turns or more, whose number is the product of
    two numbers of at least 8, is a loop over segments, with the turns of a segment as its body. The number of
    segments is the largest divisor that is at most the square root. Values of all turns are the same memory as before.

    So a gradient of what all turns read is added up segment by segment, from the last one, in every plan; and a plan may
    keep what is carried from segment to segment alone and run the turns of a segment again before its gradients
    (`--ein-recompute-turns`).

    ```mlir
    ein.loop turns 64 carries(%h) slices(%x) with(%w)
    // becomes, with %0 = ein.split %x axis 0 : (tensor<64x4xf32>) -> tensor<8x8x4xf32>
    ein.loop turns 8 carries(%h) slices(%0) with(%w) attributes {ein.segments} {  // a turn of it:
      ein.loop turns 8 carries(%c) slices(%part) with(%a)
    ```
    Test: `test/Algebra/segment-loops.mlir`.
  }];
}

def EinSplitLoops : EinPass<"ein-split-loops"> {
  let summary = "take out of loops what no turn has to wait for";
  let description = [{
    Before: loops as the language made them. After: equations of a turn that read no carry stand before the loop, as one
    equation over all turns (or as they are, where they read nothing of a turn), and those that no carry reads stand
    behind it; so that one large product is made where there were many small ones. Cheap elementwise equations stay in the loop,
    unless what leaves needs them. No order of a sum changes, and so no bit. What a segment computes (`--ein-segment-loops`) stays in
    it, but for what is the same in all.

    ```mlir
    ein.loop turns 5 carries(%h) slices(%x) with(%w, %u) {         // h' = x w + h u
    // becomes
    %0 = ein.contract "ac,cb->ab" %x, %w : (tensor<5x4xf32>, tensor<4x4xf32>) -> tensor<5x4xf32>
    ein.loop turns 5 carries(%h) slices(%0) with(%u) {             // h' = 0 + h u
    ```
    Test: `test/Algebra/split-loops.mlir`.
  }];
}

def EinDifferentiate : EinPass<"ein-differentiate"> {
  let summary = "build the gradient of the loss, body by body";
  let description = [{
    Before: the model's body holds calls only (`--ein-simplify`) and has a scalar result `loss`. After: each body that
    the loss depends on has up to three: `F` (its results, then the residuals that the others need), `B` (gradients of
    its data arguments from those of its results; then residuals for `W`) and `W` (gradients of its parameters, each
    added into an accumulator). They are made once per body, whatever the number of calls. The model calls all F in
    program order, then B and W of each call in reverse.

    A body has no B if none of its data arguments needs a gradient, and no W without trained parameters. B and W
    clone constants, indices and comparisons, and recompute elementwise equations from other residuals where that
    saves bytes, to the same bits. Contributions to one gradient are added as a balanced tree over the consumers in
    program order. A parameter shared by several calls gets an accumulator (site) for each.

    Derivatives are those of the language: of `max` and `min` at a tie to the first, of `relu` and `abs` 0 at 0; a
    branch not taken contributes exactly 0 through every equation of its body that leads to it, infinite derivatives
    included, except the other factor of a matrix product and tables that are added up (`Rationale.md` of `ein`).
    `ein.stop` is replaced by its input. With `forward-only` that is all that happens.

    With `wrt` the gradients are those of the named arguments and parameters, trained or not, instead of all trained
    parameters. That of an argument `x` becomes a result of the model, `grad(x)`, with the argument's type and batch
    axis: per sample if it has one, else a sum over the micro-batches. Where `loss` does not depend on the argument or
    parameter, the result is zeros.

    With `scales-loss` the gradients are those of the loss times `loss_scale()`, an input of the model that the engine gives: the
    gradient of the loss is that instead of 1.

    Refused: gradients of `max` and `min` over more than 2^24 elements of f32, 2^53 of f64: positions are counted in it.

    A gradient that is there already (that of `x` in `x * y` is `y`) is no result of B: calls read it where it is. The
    sum of two contributions is a body of its own with role `sum`, called with the path of the call that made the value.

    Tests: `test/Algebra/differentiate.mlir`, `test/Algebra/derivatives.mlir`, `test/Algebra/guards.mlir`,
    `test/Algebra/residuals.mlir`, `test/Algebra/differentiate-inputs.mlir`.
  }];
  let options = [Option<"forwardOnly", "forward-only", "bool", "false", "no gradient: only replace 'ein.stop'">,
                 ListOption<"wrt", "wrt", "std::string", "arguments and parameters; none: all trained parameters">,
                 Option<"scalesLoss", "scales-loss", "bool", "false", "the gradient of the loss is an input">];
}

def EinRecomputeTurns : EinPass<"ein-recompute-turns"> {
  let summary = "keep what is carried into segments, and run their turns again";
  let description = [{
    Before: a differentiated program, whose backward loops of segments (`--ein-segment-loops`) read what the turns of the
    forward loops saved. After: the forward loops give what each segment begins with instead, and a segment of a backward
    loop first runs the forward loop's equations again, from that and from what those read. T turns that save values keep
    the carries of about the square root of T segments, and the values of one segment at a time.

    The same equations on the same values: no bit changes, and `--verify-numerics` finds the same program, in which a part
    of what a loop gave is what a turn of that loop makes.

    ```mlir
    // F gives %saved : tensor<8x8x4xf32>, an element of its loop; B:
    ein.loop turns 8 reverse carries(%g) slices(%saved) with(%w) attributes {ein.segments}
    // becomes, of %begin : tensor<8x4xf32>, what the segments began with, and %x, what F's loop read
    ein.loop turns 8 reverse carries(%g) slices(%begin, %x) with(%w) attributes {ein.segments} {
      %saved = ein.loop turns 8 carries(%b) slices(%part) with(%a)    // then the turns of the backward loop
    ```
    Test: `test/Algebra/recompute-turns.mlir`.
  }];
}

def EinUpdateStates : EinPass<"ein-update-states"> {
  let summary = "write the new value of each state into its memory";
  let description = [{
    Before: a result `state(PATH)` of the model is any value. After: it is made by an `ein.put` into the argument of that
    name, and no equation reads that argument behind it.

    Where the new value is the old one but for one position of an axis, `if t == pos[..] then row[..] else old[..]`, `ein.put`
    replaces that position and everything that reads the new value reads the state. What else reads the old value must
    do so before (`after`); if something does that is made from the new value, or another form makes the new value, it is
    computed as it is and then put as a whole. Bits do not change.

    ```mlir
    %m = ein.map eq "a,b->ba" %t, %pos           // new[b, h, t, k] = if t == pos[b] then row[b, h, k] else old[b, h, t, k]
    %new = ein.map select "ba,bcd,bcad->bcad" %m, %row, %old
    %new = ein.put "abc,i=a->abic" %row, %pos into %old
    ```
    Test: `test/Algebra/update-states.mlir`.
  }];
}

def EinCopyResults : EinPass<"ein-copy-results"> {
  let summary = "make each result of the model a value of its own";
  let description = [{
    Before: the model's body holds calls only (`--ein-simplify`); a result may be an argument, a parameter or another
    result, also through bodies that return what they take, or one value twice. After: each is made by an equation and
    is no other result; where it was not, a body `<model>.<result>` copies it (`map id`), called behind what it copies.
    The plan gives each output a place of its own. It stands behind the last `--ein-simplify`, which drops copies.

    ```mlir
    ein.model @m(%x) -> (y) { ein.return %x }
    ein.model @m(%x) -> (y) { %0 = ein.call @m.y(%x) path "m.y"  ein.return %0 }
    ```
    Test: `test/Algebra/copy-results.mlir`.
  }];
}

#endif
