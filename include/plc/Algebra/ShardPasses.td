//===- ShardPasses.td - parameters in shards, for Passes.td ---------------===//
#ifndef PLC_ALGEBRA_SHARDPASSES
#define PLC_ALGEBRA_SHARDPASSES

def EinSliceParameters : EinPass<"ein-slice-parameters"> {
  let summary = "make parameters of the slices that are read apart";
  let description = [{
    Before: a module with one `ein.model`, as the language makes it. After: a parameter of which all bodies read slices
    at constant positions of one axis alone, each position at least once, is a parameter for each position. Each is a
    shard (`#ein.shard`) and a `slice`: it has no such axis. So gradients, their accumulators and updates are those of
    a model that has a parameter for each slice, and no gradient is a sum of slices between zeros. Users and files see
    the whole.

    A packed weight of queries, keys and values is one, or of the gate and the linear unit of experts. The first such
    axis counts. Slices are at most as many as reads in the text.

    Not sliced: a parameter that a body reads whole, by other positions or inside a loop, or of which it reads some
    positions alone; one of which another call of the same body has to stay whole; one of a single axis, since a number
    gains nothing; one with one of the given `sizes`, which `--ein-shard` divides.

    The pass runs before `--ein-entry`. So all programs of a module have the same parameters.

    ```mlir
    ein.param @a.w : tensor<2x4x5xf32> ..
    %1 = ein.gather "iab,i=->ab" %w, %zero       // w[0, a, b]
    %2 = ein.gather "iab,i=->ab" %w, %one        // w[1, a, b]
    // becomes
    ein.param .. : tensor<4x5xf32> .. shard <"a.w" axis 0, 0 of 2> slice
    ein.param .. : tensor<4x5xf32> .. shard <"a.w" axis 0, 1 of 2> slice
    %1 = ein.map id "ab->ab" %w0
    %2 = ein.map id "ab->ab" %w1
    ```
    Test: `test/Algebra/Shard/slice-parameters.mlir`.
  }];
  let options = [ListOption<"sizes", "sizes", "std::string",
                            "sizes whose parameters stay whole, as for --ein-shard: NAME=PARTS">];
}

def EinShard : EinPass<"ein-shard"> {
  let summary = "divide sizes of a model, so that several ranks share its layers";
  let description = [{
    Before: parameters name the `sizes` of their axes, and bodies are as the language makes them. After: no parameter
    names sizes. A parameter with one of the given `sizes` becomes that number of equal shards along the first axis of
    such a size. Each shard is a parameter with its `#ein.shard`.

    In bodies all values that follow from shards are computed for each shard, up to where the dimension is summed away.
    There the shards' sums are added pairwise. So the order of the sum is the program's, whichever rank computes a
    shard. A result of a body stays in shards on its way to the next body, of which there is a variant for each way in
    which its arguments are divided. It is joined where it is needed whole, and by the model's results. A state whose
    new value is in shards becomes that number of states, if its body does not need it whole. A table is looked up in
    each shard, and the position selects. A loop whose iterations handle each shard alone, as a scan does, becomes a
    loop for each shard.

    ```mlir
    %h = ein.contract "ac,cb->ab" %x, %w1    // --ein-shard{sizes=F=2}
    %y = ein.contract "ac,cb->ab" %h, %w2
    // becomes
    %h0 = ein.contract "ac,cb->ab" %x, %w1.0   // and %h1, of %w1.1
    %y0 = ein.contract "ac,cb->ab" %h0, %w2.0  // and %y1, of %h1 and %w2.1
    %y = ein.map add "ab,ab->ab" %y0, %y1
    ```

    Refused: a size that no parameter has, or that its shards do not divide; different numbers of shards; a parameter
    that is needed whole, such as a recurrent layer's in each iteration.

    Tests: `test/Algebra/Shard/shard.mlir` and its neighbours.
  }];
  let options = [ListOption<"sizes", "sizes", "std::string",
                            "sizes that are divided, and in how many parts: NAME=PARTS">];
}

#endif
