//===- BlisToLLVM.cpp - lowers blis.gemm to calls of BLIS -----------------===//
#include "BlisRoutines.h"

#include "plc/Codegen/Passes.h"
#include "plc/Dialect/Blis/Blis.h"
#include "plc/Support/IRElementType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace plc::codegen {
#define GEN_PASS_DEF_CONVERTBLISTOLLVM
#include "lib/Codegen/Passes.h.inc"
} // namespace plc::codegen

using namespace mlir;
using namespace plc;

namespace {

// Name of BLIS's gemm for an element type. The verifier of `blis.gemm` admits only f32 and f64.
StringRef routineOf(ElementType element) {
  switch (element) {
  case ElementType::F64: return codegen::gemmOfF64;
  case ElementType::F32: return codegen::gemmOfF32;
  case ElementType::I64:
  case ElementType::I32:
  case ElementType::Bool:
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I8:
  case ElementType::U8: break;
  }
  llvm_unreachable("BLIS has no product of this element type");
}

// Lowers the gemms of one element type. The function called, from BLIS's typed API (dim_t and inc_t are 64-bit
// integers):
//
// void bli_sgemm_ex(trans_t, trans_t, dim_t m, n, k, float *alpha, float *a, inc_t rsa, csa, float *b, inc_t rsb, csb,
//                   float *beta, float *c, inc_t rsc, csc, cntx_t *, rntm_t *);
class GemmLowering {
public:
  GemmLowering(ModuleOp module, ElementType type)
      : module(module), type(type), b(module.getLoc(), module.getContext()) {
    pointer = LLVM::LLVMPointerType::get(module.getContext());
    element = irTypeOf(type, module.getContext());
  }

  // Replaces a `blis.gemm` by a call with alpha 1 and beta 0 or 1.
  void lower(blis::GemmOp gemm) {
    // With the first product of the type: a module without products refers to no library.
    declare();
    b.setLoc(gemm.getLoc());
    b.setInsertionPoint(gemm);
    Value none = LLVM::ZeroOp::create(b, pointer), plain = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(0));
    Value one = LLVM::AddressOfOp::create(b, pointer, name("one"));
    // With beta 0 BLIS does not read c, so a vacant accumulator may hold anything.
    Value beta =
        LLVM::SelectOp::create(b, gemm.getAccumulate(), one, LLVM::AddressOfOp::create(b, pointer, name("zero")));
    // The `rntm_t` of the context (its first field) makes BLIS use one thread: the runtime has threads of its own.
    Value rntm = LLVM::LoadOp::create(b, pointer, gemm.getContext());
    SmallVector<Value> arguments = {plain, plain, wide(gemm.getM()), wide(gemm.getN()), constant(gemm.getK()), one};
    // Offsets are in elements, as BLIS's strides are.
    auto operand = [&](Value memory, Value offset, ArrayRef<int64_t> strides) {
      arguments.append({address(memory, offset), constant(strides[0]), constant(strides[1])});
    };
    operand(gemm.getA(), gemm.getAOffset(), gemm.getAStrides());
    operand(gemm.getB(), gemm.getBOffset(), gemm.getBStrides());
    arguments.push_back(beta);
    operand(gemm.getC(), gemm.getCOffset(), gemm.getCStrides());
    arguments.append({none, rntm});
    LLVM::CallOp::create(b, function, arguments);
    gemm.erase();
  }

private:
  std::string name(StringRef what) { return ("plc_" + what + "_" + StringRef(nameOf(type))).str(); }
  Value wide(Value index) { return arith::IndexCastOp::create(b, b.getI64Type(), index); }
  Value constant(int64_t value) { return LLVM::ConstantOp::create(b, b.getI64IntegerAttr(value)); }

  Value address(Value memory, Value offset) {
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
    Value start = LLVM::IntToPtrOp::create(b, pointer, wide(base));
    return LLVM::GEPOp::create(b, pointer, element, start, ArrayRef<LLVM::GEPArg>{wide(offset)});
  }

  // Declares the function and the constants 0 and 1 that alpha and beta point to, once per module and type.
  void declare() {
    if (function)
      return;
    b.setLoc(module.getLoc());
    b.setInsertionPointToStart(module.getBody());
    Type i64 = b.getI64Type(), i32 = b.getI32Type();
    SmallVector<Type> types = {i32, i32, i64, i64, i64, pointer};
    for (unsigned operand = 0; operand < 3; ++operand) {
      if (operand == 2)
        types.push_back(pointer);
      types.append({pointer, i64, i64});
    }
    types.append({pointer, pointer});
    auto signature = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
    function = LLVM::LLVMFuncOp::create(b, routineOf(type), signature);
    for (auto [what, value] : {std::pair("zero", 0.0), {"one", 1.0}})
      LLVM::GlobalOp::create(b, element, /*isConstant=*/true, LLVM::Linkage::Internal, name(what),
                             b.getFloatAttr(element, value));
  }

  ModuleOp module;
  ElementType type;
  ImplicitLocOpBuilder b;
  Type pointer, element;
  LLVM::LLVMFuncOp function;
};

struct ConvertBlisToLLVM : codegen::impl::ConvertBlisToLLVMBase<ConvertBlisToLLVM> {
  void runOnOperation() override {
    std::map<ElementType, GemmLowering> lowerings;
    SmallVector<blis::GemmOp> gemms;
    // Collected first, because lowering erases them.
    getOperation().walk([&](blis::GemmOp gemm) { gemms.push_back(gemm); });
    for (blis::GemmOp gemm : gemms) {
      ElementType type = elementTypeOf(gemm.getA().getType());
      lowerings.try_emplace(type, getOperation(), type).first->second.lower(gemm);
    }
  }
};

} // namespace
