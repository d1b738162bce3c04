//===- EinNames.td - names of arguments, results and shards ---------------===//
#ifndef PLC_EIN_NAMES
#define PLC_EIN_NAMES

include "dialects/Ein/EinDialect.td"

// The name of an argument or a result. A plain name is a string: an input or output of the model, or the value of a
// rule by its path. Any other name is an attribute below, whose fields passes read. `textOf` (Names.h) makes its text,
// for people, files and the numerics key.
def Ein_Name : Attr<CPred<"::plc::ein::isName($_self)">, "a string, or an #ein attribute that is a name"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}
def Ein_Names : TypedArrayAttrBase<Ein_Name, "names">;

class Ein_NameOf<string name, string word> : AttrDef<Ein_Dialect, name> {
  let mnemonic = word;
  let genVerifyDecl = 1;
}

def Ein_StateName : Ein_NameOf<"StateName", "state"> {
  let summary = "the name of a state: as an argument its value before a run, as a result its value after it";
  let description = [{
    `path` is the symbol of the `ein.state`. The text is `state(PATH)`. No caller gives or takes a state: the engine
    keeps it from run to run.

    Made by the language and by `--ein-shard`.

    An example, from `test/Dialect/Ein/names.mlir`:

    ```mlir
    arg_names = ["x", #ein.state<"attention.0.k">, #ein.whole<"x">, #ein.random<"dropout.0" per sample>,
    ```

    (C1) `path` is not empty.
  }];
  let parameters = (ins StringRefParameter<>:$path);
  let assemblyFormat = "`<` $path `>`";
}

def Ein_WholeName : Ein_NameOf<"WholeName", "whole"> {
  let summary = "the name of an argument that holds an input's rows of the whole batch";
  let description = [{
    The value is the same in all micro-batches. A sum over it divides the loss. The text is `whole(INPUT)`. No caller
    gives it: the engine copies it from the input, a plain name or `#ein.random`.

    Made by `--ein-micro-batch`.

    An example, from `test/Dialect/Ein/names.mlir`:

    ```mlir
    arg_names = ["x", #ein.state<"attention.0.k">, #ein.whole<"x">, #ein.random<"dropout.0" per sample>,
    ```

    (C1) `input` is a plain name or `#ein.random`.
  }];
  let parameters = (ins "::mlir::Attribute":$input);
  let assemblyFormat = "`<` $input `>`";
}

def Ein_KeysPer : I32EnumAttr<"KeysPer", "the unit that has a random key of its own",
    [I32EnumAttrCase<"sample", 0>, I32EnumAttrCase<"run", 1>]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

def Ein_RandomName : Ein_NameOf<"RandomName", "random"> {
  let summary = "the name of an argument that holds random keys";
  let description = [{
    The keys for the draws of the call at `path`: one key for each sample, or one for the run. The text is
    `random(PATH)`, or `random(all, PATH)`. Unless a caller gives keys, they come from the seed.

    Made by `--ein-random`.

    An example, from `test/Dialect/Ein/names.mlir`:

    ```mlir
    arg_names = ["x", #ein.state<"attention.0.k">, #ein.whole<"x">, #ein.random<"dropout.0" per sample>,
    ```

    (C1) `path` is not empty.
  }];
  let parameters = (ins StringRefParameter<>:$path, EnumParameter<Ein_KeysPer>:$per);
  let assemblyFormat = "`<` $path `per` $per `>`";
}

def Ein_EngineValue : I32EnumAttr<"EngineValue", "a number that the engine gives to a run", [
    I32EnumAttrCase<"step", 0>,      // of the optimizer, an i32
    I32EnumAttrCase<"loss_scale", 1> // the factor of the loss before gradients are taken, an f32
  ]> {
  let cppNamespace = "::plc::ein";
  let genSpecializedAttr = 0;
}

def Ein_GivenName : AttrDef<Ein_Dialect, "GivenName"> {
  let mnemonic = "given";
  let summary = "the name of an argument that the engine gives";
  let description = [{
    The number of the optimizer's step, or the factor of the loss. The text is `step()` or `loss_scale()`.

    Made by `--ein-random` and `--ein-differentiate`.

    An example, from `test/Dialect/Ein/names.mlir`:

    ```mlir
    #ein.random<"dropout.0" per run>, #ein.given<step>, #ein.given<loss_scale>],
    ```
  }];
  let parameters = (ins EnumParameter<Ein_EngineValue>:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Ein_GradientName : Ein_NameOf<"GradientName", "grad"> {
  let summary = "the name of a result that is the gradient of the loss";
  let description = [{
    `of` is the input or the parameter. The text is `grad(OF)`.

    Made by `--ein-differentiate`.

    An example, from `test/Dialect/Ein/names.mlir`:

    ```mlir
    result_names = ["y", #ein.state<"attention.0.k">, #ein.grad<"x">],
    ```

    (C1) `of` is not empty.
  }];
  let parameters = (ins StringRefParameter<>:$of);
  let assemblyFormat = "`<` $of `>`";
}

def Ein_Shard : Ein_NameOf<"Shard", "shard"> {
  let summary = "one of equal shards of a parameter or a state along one axis";
  let description = [{
    An `ein.param` or an `ein.state` that a program has in place of the whole: number `index` of `count`, along
    `axis`. A slice lacks the axis (`ein.param`). The text is the symbol of that operation,
    `part(WHOLE, axis AXIS, INDEX of COUNT)`. Users and files of parameters see only the whole: its path, its shape, its
    initial values.

    Made by `--ein-shard` and `--ein-slice-parameters`.

    An example, from `test/Dialect/Ein/names.mlir`:

    ```mlir
    #first = #ein.shard<"ffn.0.w1" axis 1, 0 of 2>
    ein.param @"part(ffn.0.w1, axis 1, 0 of 2)" : tensor<4x3xf32> init constant(1.0, 0.0) shard #first
    ```

    (C1) `whole` is not empty, `axis` is at least 0, and `index` is from 0 to `count` - 1.
  }];
  let parameters = (ins StringRefParameter<>:$whole, "int64_t":$axis, "int64_t":$index, "int64_t":$count);
  let assemblyFormat = "`<` $whole `axis` $axis `,` $index `of` $count `>`";
}

#endif
