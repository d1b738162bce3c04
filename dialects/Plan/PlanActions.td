//===- PlanActions.td - ranks, channels, actions, layouts ------------------===//
#ifndef PLC_PLAN_ACTIONS
#define PLC_PLAN_ACTIONS

include "dialects/Plan/PlanDialect.td"
include "dialects/Plan/PlanInterfaces.td"
include "dialects/Plan/PlanProgram.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_ChannelOp : Plan_Op<"channel", [Symbol, HasParent<"ProgramOp">,
                                         DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a route between two ranks: its messages";
  let description = [{
    Made by `--plan-insert-comm`. At most `slots` receives are posted and not yet waited for. Between the two ranks, the
    message of micro-batch i has the tag `tag + 2 i` (per step: `tag`).

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.channel @c0 carries @r0 from 0 to 1 slots 1 tag 0
    ```

    (C1) The route exists and joins these ranks, which differ.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, FlatSymbolRefAttr:$route,
                       Plan_Natural:$source, Plan_Natural:$destination, Plan_Positive:$slots, Plan_Natural:$tag);
  let assemblyFormat = [{
    $sym_name `carries` $route `from` $source `to` $destination `slots` $slots `tag` $tag attr-dict
  }];
}

def Plan_RankOp : Plan_Op<"rank", [SingleBlock, NoTerminator, NoRegionArguments, HasParent<"ProgramOp">,
                                   Plan_HoldsOnly<["LayoutOp", "ActionInterface"]>]> {
  let summary = "the actions of one rank in a step, in order";
  let description = [{
    Made by `--plan-schedule` with runs alone. `--plan-insert-comm` adds messages and the step; `--plan-addresses`
    adds a layout in front, addresses and drops. The runtime executes exactly this list. If `--plan-free-order` has
    added `after`, it may execute actions in any order that respects `after`: pairs of an action and an earlier one
    that it must follow, counted from 0 without the layout.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.rank 1 {
      plan.post_recv @c0 mb 0
      plan.wait_recv @c0 mb 0
      plan.run @s1 F mb 0
    }
    ```

    (C1) A layout is at the front.
    (C2) Ranks are unique.
    (C3) `after` has pairs, each of an action of the rank and an earlier one.
  }];
  let arguments = (ins Plan_Natural:$index, OptionalAttr<DenseI64ArrayAttr>:$after);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$index (`after` $after^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = "static constexpr ::llvm::StringLiteral contents = \"a layout and actions\";";
}

class Plan_Action<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, [HasParent<"RankOp">, Plan_ActionInterface] # traits>;
class Plan_SymbolAction<string mnemonic>
    : Plan_Action<mnemonic, [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Plan_RunOp : Plan_SymbolAction<"run"> {
  let summary = "run a task for one micro-batch";
  let description = [{
    `at` gives an offset in the rank's arena for each base of the task's `plan.frame`; without a frame, for each
    slot of the task (see `plan.task`). Accumulators are vacant for the first micro-batch of an accumulation group.

    A run that keeps (`keep`) leaves out the clones of its task: the values that they would recompute are still
    live, and the slot of a clone's value is the original's. The `mb` of P is -1: it runs once for all
    micro-batches, and not at all if an earlier run has left its results.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.run @s0 F mb 0 at [128, 64]
    ```

    (C1) The stage has this task.
    (C2) `mb` is -1 for P, and for no other task.
  }];
  let arguments = (ins FlatSymbolRefAttr:$stage, Plan_RoleAttr:$role, Plan_MicroBatch:$mb, UnitAttr:$keep,
                       OptionalAttr<DenseI64ArrayAttr>:$at);
  let assemblyFormat = "$stage $role `mb` $mb (`keep` $keep^)? (`at` $at^)? attr-dict";
  let extraClassDeclaration = [{
    /// Whether it is of P, which comes first and is left out where what it makes is there already.
    bool prepares() { return getRole() == Role::P; }
  }];
}

class Plan_Message<string mnemonic, string part, string what, string meaning> : Plan_SymbolAction<mnemonic> {
  let summary = what;
  let description = meaning # " (C1) The program has this channel.";
  let extraClassDeclaration = "static constexpr MessagePart messagePart = MessagePart::" # part # ";";
  let arguments = (ins FlatSymbolRefAttr:$channel, Plan_MicroBatch:$mb);
  let assemblyFormat = "$channel `mb` $mb attr-dict";
}
class Plan_PlacedMessage<string mnemonic, string part, string what, string meaning>
    : Plan_Message<mnemonic, part, what, meaning> {
  let arguments = (ins FlatSymbolRefAttr:$channel, Plan_MicroBatch:$mb, OptionalAttr<Plan_Natural>:$at);
  let assemblyFormat = "$channel `mb` $mb (`at` $at^)? attr-dict";
}

def Plan_PostRecvOp : Plan_PlacedMessage<"post_recv", "post", "offer the buffer of a message", [{
    Gives one credit and does not wait. The bytes belong to the message from here to its `plan.wait_recv`, and to the
    value that it becomes from there. `mb` is -1 on per-step channels.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.post_recv @c0 mb 0
    ```
  }]>;
def Plan_WaitRecvOp : Plan_Message<"wait_recv", "waitReceive", "wait for a message", [{
    Returns when the bytes have arrived.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.wait_recv @c0 mb 0
    ```
  }]>;
def Plan_SendOp : Plan_PlacedMessage<"send", "send", "start a message", [{
    Does not wait: bytes are copied once the receive is posted. They may not change until `plan.wait_send`.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.send @c0 mb 0 at 64
    ```
  }]>;
def Plan_WaitSendOp : Plan_Message<"wait_send", "waitSend", "wait until a message is copied", [{
    Returns when the receive is posted and the bytes have left.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.wait_send @c0 mb 0
    ```
  }]>;

def Plan_DropOp : Plan_Action<"drop"> {
  let summary = "bytes are dead";
  let description = [{
    Made by `--plan-addresses` after the last use of a value, or of the values of a block. Nothing uses these bytes as
    they are after this. The runtime's `--check-arena` overwrites them.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.drop mb 0 at 64 bytes 16
    ```
  }];
  let arguments = (ins Plan_MicroBatch:$mb, Plan_Natural:$at, Plan_Positive:$bytes);
  let assemblyFormat = "`mb` $mb `at` $at `bytes` $bytes attr-dict";
}

def Plan_StepOp : Plan_Action<"step"> {
  let summary = "take an optimizer step on the parameters that this rank owns";
  let description = [{
    Adds each parameter's gradient sites, group by group and in order, and updates the parameter. Sites become vacant.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.step
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Plan_BufferKind : I32EnumAttr<"BufferKind", "what a persistent buffer holds", [
    I32EnumAttrCase<"parameter", 0>, I32EnumAttrCase<"gradient", 1>, I32EnumAttrCase<"moment", 2>,
    I32EnumAttrCase<"average", 3>, I32EnumAttrCase<"input", 4>, I32EnumAttrCase<"output", 5>,
    I32EnumAttrCase<"precomputed", 6>, I32EnumAttrCase<"state", 7>
  ]> {
  let cppNamespace = "::plc::plan";
  let genSpecializedAttr = 0;
}
def Plan_BufferKindAttr : Plan_WordAttr<Plan_BufferKind, "static_kind">;

def Plan_LayoutOp : Plan_Op<"layout", [SingleBlock, NoTerminator, NoRegionArguments, HasParent<"RankOp">,
                                       Plan_HoldsOnly<["BufferOp", "FrameOp"]>]> {
  let summary = "the arena of a rank";
  let description = [{
    First the persistent buffers, which its region lists, then values of micro-batches. Frames say which
    of these form blocks. `bound` is the most that is live at one time, in bytes rounded like the buffers: no arena
    can be smaller in this order. For an arena above the bound, `exact` says that a search has shown that none is
    smaller; `--plan-verify` searches again.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.layout persistent 64 arena 192 bound 192 {
      plan.buffer parameter "w" at 0 bytes 16 owned
      plan.buffer gradient "w" site 0 at 64 bytes 16
      plan.frame @s0 F bases 2 slots [0, 0, 1, 0]
    }
    ```

    (C1) persistent <= bound <= arena.
    (C2) A task has at most one frame, and one for runs that keep.
  }];
  let arguments = (ins Plan_Natural:$persistent_bytes, Plan_Natural:$arena_bytes, Plan_Natural:$bound_bytes,
                       UnitAttr:$exact);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `persistent` $persistent_bytes `arena` $arena_bytes `bound` $bound_bytes (`exact` $exact^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral contents = "buffers and frames";
    /// The frame of a task's runs; null if each of its slots is a base.
    FrameOp getFrame(::llvm::StringRef stage, Role role, bool keep);
  }];
}

def Plan_BufferOp : Plan_Op<"buffer", [HasParent<"LayoutOp">]> {
  let summary = "a persistent buffer";
  let description = [{
    `name` is a parameter's or state's path, or an input's or output's name; `precomputed` values are named
    STAGE.NUMBER, by the stage and the number of its P's result. `owned` as in `plan.param`.

    Gradients have a `site`, with `groups` accumulators one behind the other, from group `group` on. The `site` of a
    moment is its number among those that the optimizer keeps for the parameter. Inputs, outputs and states hold the
    whole batch; an output without a batch axis holds one value per micro-batch, in order.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.buffer parameter "w" at 0 bytes 16 owned
    ```

    (C1) `site` is given exactly for gradients and moments, `group` and `groups` for gradients alone.
  }];
  let arguments = (ins Plan_BufferKindAttr:$kind, Plan_Name:$name, OptionalAttr<Plan_Natural>:$site,
                       DefaultValuedAttr<Plan_Natural, "0">:$group, DefaultValuedAttr<Plan_Positive, "1">:$groups,
                       Plan_Natural:$at, Plan_Natural:$bytes, UnitAttr:$owned);
  let assemblyFormat = [{
    $kind custom<Name>($name) (`site` $site^)? (`group` $group^)? (`groups` $groups^)? `at` $at `bytes` $bytes (`owned`
    $owned^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_FrameOp : Plan_Op<"frame", [HasParent<"LayoutOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "offsets of a task's slots within blocks";
  let description = [{
    Made by `--plan-addresses` where many micro-batches have many values. Values with equal lifetimes form a block,
    and a run gives the address of each block (`at` of `plan.run`) in place of each value's. Slot k of the task is
    `slots`[2 k + 1] bytes behind base `slots`[2 k]. `keep` as in `plan.run`: such runs have a frame of their own.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.frame @s0 F bases 2 slots [0, 0, 1, 0]
    ```

    (C1) The stage has this task.
    (C2) `slots` are pairs of a base, from 0 to `bases` - 1, and of an offset from 0 on.
  }];
  let arguments = (ins FlatSymbolRefAttr:$stage, Plan_RoleAttr:$role, UnitAttr:$keep, Plan_Natural:$bases,
                       DenseI64ArrayAttr:$slots);
  let assemblyFormat = "$stage $role (`keep` $keep^)? `bases` $bases `slots` $slots attr-dict";
  let hasVerifier = 1;
}

#endif
