//===- PlanDialect.td - the plan dialect and its enums ---------------------===//
#ifndef PLC_PLAN_DIALECT
#define PLC_PLAN_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::plc::plan";
  let summary = "kernels, stages, routes, tasks, channels and actions";
  let description = [{
    How a program runs: equations grouped in kernels, kernel calls cut into stages, values routed between stages,
    tasks ordered on ranks, messages and addresses. It has three levels, each printable, verified and testable
    alone: *program* (`plan.program`, `plan.stage`, `plan.route`), *tasks* (`plan.task`, `plan.call`) and *schedule*
    (`plan.rank` and its actions). `Rationale.md` gives the reasons.
  }];
  let dependentDialects = ["::plc::ein::EinDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

// The type of every value of a plan: its precision is chosen, and no sum of bytes of a plan overflows.
def Plan_Tensor : Type<CPred<"::plc::ein::isSizedTensor($_self)">,
                       "tensor of 1 to 2^48 elements f16, bf16, f32, f64, i8, ui8, i32, i64 or i1",
                       "::mlir::RankedTensorType">;

// The name of an input or output, as a model's argument or result has it (dialects/Ein/EinNames.td).
def Plan_Name : Attr<CPred<"::plc::ein::isName($_self)">, "a string, or an #ein attribute that is a name"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}
def Plan_Names : TypedArrayAttrBase<Plan_Name, "names">;

class Plan_WordAttr<EnumInfo words, string mnemonic> : EnumAttr<Plan_Dialect, words, mnemonic> {
  let assemblyFormat = "custom<Word>($value)";
}

// Instances take any number as syntax: the planner's own `check` rejects those without a meaning.
def Plan_Count : TypedSignlessIntegerAttrBase<I64, "int64_t", "a count">;
def Plan_Natural : ConfinedAttr<Plan_Count, [IntNonNegative]>;
def Plan_Positive : ConfinedAttr<Plan_Count, [IntPositive]>;
// Of an action: the number of a micro-batch, or -1 if it happens once per step.
def Plan_MicroBatch : ConfinedAttr<Plan_Count, [IntMinValue<-1>]>;

// The operations of the body are of these classes or interfaces. Messages name them by `contents` of the operation.
class Plan_HoldsOnly<list<string> ops>
    : ParamNativeOpTrait<"HoldsOnly", !interleave(!foreach(op, ops, "::plc::plan::" # op), ",")> {
  let cppNamespace = "::plc::plan";
}

def Plan_KernelKind : I32EnumAttr<"KernelKind", "shape of a kernel's iteration", [
    I32EnumAttrCase<"contract", 0>,    // one contraction, and maps that ride on it
    I32EnumAttrCase<"rows", 1>,        // independent rows, reduced along the last axis
    I32EnumAttrCase<"columns", 2>,     // reductions over leading axes, one chain per column
    I32EnumAttrCase<"elementwise", 3>, // maps and gathers alone
    I32EnumAttrCase<"scatter", 4>,     // scatter_add
    I32EnumAttrCase<"insert_slice", 5>,       // a copy into a part of the result
    I32EnumAttrCase<"loop", 6>         // iterations, each of which calls kernels that it holds
  ]> {
  let cppNamespace = "::plc::plan";
  let genSpecializedAttr = 0;
}

def Plan_KernelKindAttr : Plan_WordAttr<Plan_KernelKind, "kind">;

// One row of include/plc/Dialect/Plan/Implementations.def says what each computes, from what size, and what writes it.
def Plan_Implementation : I32EnumAttr<"Implementation", "who computes a kernel", [
    I32EnumAttrCase<"blis", 0>,        // contract: calls of the library
    I32EnumAttrCase<"tiles", 1>,       // contract: tiles of registers
    I32EnumAttrCase<"chains", 2>,      // contract: one sum after the other, as defined
    I32EnumAttrCase<"rows", 3>,
    I32EnumAttrCase<"elementwise", 4>,
    I32EnumAttrCase<"columns", 5>,
    I32EnumAttrCase<"scatter", 6>,
    I32EnumAttrCase<"insert_slice", 7>,
    I32EnumAttrCase<"loop", 8>         // the runtime, iteration by iteration
  ]> {
  let cppNamespace = "::plc::plan";
  let genSpecializedAttr = 0;
}

def Plan_ImplementationAttr : Plan_WordAttr<Plan_Implementation, "by">;

// A row of a table of the planner, which TableGen cannot read: the enum is C++'s, and the name is in quotes.
class Plan_ChoiceAttr<string name, string kind, string what> : AttrDef<Plan_Dialect, name> {
  let summary = what;
  let parameters = (ins AttrParameter<kind, what>:$value);
  let returnType = kind;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::plc::plan::" # name # "Attr::get($_builder.getContext(), $0)";
  let assemblyFormat = "custom<ChoiceName>($value)";
}

def Plan_ScheduleAttr : Plan_ChoiceAttr<"Schedule", "::plc::planner::ScheduleKind", "a row of Schedules.def"> {
  let mnemonic = "schedule";
}
def Plan_RematAttr : Plan_ChoiceAttr<"Remat", "::plc::planner::RematPolicy", "a row of RematPolicies.def"> {
  let mnemonic = "remat";
}

#endif
