//===- EinUpdateStates.cpp - writes new values of states in place ---------===//
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINUPDATESTATES
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

namespace {

// The form of an update of one position:
//
//   new[d] = if t == position[..] then row[d without t] else old[d].
struct Masked {
  ein::MapOp select;
  Access position, row; // over the dimensions of `select`
  int64_t dim;          // t
};

// If a condition compares an index with a tensor of positions: that tensor and the dimension of the index, over the
// dimensions of the condition's reader.
std::optional<std::pair<Access, int64_t>> positionIn(Access condition) {
  auto compare = condition.value.getDefiningOp<ein::MapOp>();
  if (!compare || compare.getFunction() != Function::eq || !elementOf(compare.getInputs()[0]).isInteger())
    return std::nullopt;
  Dims own = resultOf(compare).dims;
  auto seen = [&](Access access) {
    for (int64_t &dim : access.dims)
      dim = condition.dims[llvm::find(own, dim) - own.begin()];
    return access;
  };
  for (unsigned side : {0u, 1u}) {
    Access index = seen(inputOf(compare, side)), position = seen(inputOf(compare, 1 - side));
    Value counted = index.value;
    while (auto cast = counted.getDefiningOp<ein::CastOp>())
      counted = cast.getInput();
    if (counted.getDefiningOp<ein::IotaOp>() && !contains(position.dims, index.dims[0]))
      return std::pair(position, index.dims[0]);
  }
  return std::nullopt;
}

// Matches `made` as an update of one position of `old`.
std::optional<Masked> maskedIn(Value made, Value old) {
  auto select = made.getDefiningOp<ein::MapOp>();
  if (!select || select.getFunction() != Function::select)
    return std::nullopt;
  Access kept = inputOf(select, 2), row = inputOf(select, 1);
  auto position = positionIn(inputOf(select, 0));
  if (kept.value != old || kept.dims != resultOf(select).dims || !position || contains(row.dims, position->second) ||
      row.value == old)
    return std::nullopt;
  return Masked{select, position->first, row, position->second};
}

// All equations of a block that the values are made from, their own included.
SetVector<Operation *> madeFrom(ArrayRef<Value> values) {
  SetVector<Operation *> makers;
  BackwardSliceOptions options;
  options.inclusive = options.omitBlockArguments = true;
  for (Value value : values)
    if (value.getDefiningOp() && failed(getBackwardSlice(value, &makers, options)))
      llvm_unreachable("a loop reads nothing from around it");
  return makers;
}

// The equations that read a value's memory, also through views of it.
SmallVector<Operation *> readersOf(Value value) {
  SmallVector<Operation *> readers;
  for (Operation *user : value.getUsers())
    if (ein::isView(user))
      llvm::append_range(readers, readersOf(user->getResult(0)));
    else
      readers.push_back(user);
  return readers;
}

// Writes a new value over the whole state.
Value putAll(OpBuilder &builder, Location loc, Value made, ArrayRef<Value> after, Value old) {
  EquationBuilder build(builder, loc, dimensionsOf(made));
  Access all{made, axesOf(made.getType())};
  return build.put(all, all, after, old);
}

// A state as a body sees it: its argument, and the operand of the body's end that is its new value.
struct Place {
  unsigned argument, result;
};

// Updates the states of a body, one after the other. Reads of old values are ordered before the update by operands of
// `ein.put`, not by positions in the block, so that later passes keep that order.
class BodyUpdates {
public:
  BodyUpdates(ein::FuncOp body, ArrayRef<Place> places)
      : block(body.getBody().front()), places(places), builder(block.getTerminator()) {
    for (Place place : places)
      states.insert(block.getArgument(place.argument));
  }

  // Returns, for each state, whether only the elements that change are written.
  SmallVector<bool> run() {
    for (Place place : places) {
      roundRowAlone(place);
      copyReads(place);
    }
    SmallVector<bool> inPlace;
    for (Place place : places) {
      old = block.getArgument(place.argument);
      inPlace.push_back(update(block.getTerminator()->getOpOperand(place.result)));
    }
    // Readers of the old value may stand behind its new readers.
    sortTopologically(&block);
    eraseDead(*block.getParent());
    return inPlace;
  }

private:
  bool isState(Value value) { return states.contains(ein::viewed(value)); }

  void copyIfState(OpOperand &operand) {
    if (isState(operand.get()))
      operand.set(copyOf(builder, operand.get()));
  }

  // round(if c then row else widen(old))  -->  if c then round(row) else old. Rounding a widened value changes nothing.
  // So a state of a storage type can be updated in place.
  void roundRowAlone(Place place) {
    auto round = block.getTerminator()->getOperand(place.result).getDefiningOp<ein::CastOp>();
    auto select = round ? round.getInput().getDefiningOp<ein::MapOp>() : ein::MapOp();
    Value state = block.getArgument(place.argument);
    if (!select || select.getFunction() != Function::select || !ein::isNarrow(state.getType()))
      return;
    auto widen = select.getInputs()[2].getDefiningOp<ein::CastOp>();
    if (!widen || widen.getInput() != state)
      return;
    OpBuilder before(round);
    Value row = select.getInputs()[1];
    auto type = cast<RankedTensorType>(row.getType()).clone(elementOf(state));
    row = ein::CastOp::create(before, round.getLoc(), type, row);
    Value made =
        ein::MapOp::create(before, round.getLoc(), round.getType(), Function::select,
                           ValueRange{select.getInputs()[0], row, state}, select.getExtents(), select.getMaps());
    round.replaceAllUsesWith(made);
    eraseDead(*block.getParent()); // what widens the state reads it
  }

  // Copies old values that outlive the update: those that the body returns, and those that an update reads of another
  // state. So no update waits for another one.
  void copyReads(Place place) {
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      copyIfState(operand);
    std::optional<Masked> masked =
        maskedIn(block.getTerminator()->getOperand(place.result), block.getArgument(place.argument));
    if (!masked)
      return;
    copyIfState(masked->select->getOpOperand(1));
    for (OpOperand &operand : masked->select.getInputs()[0].getDefiningOp()->getOpOperands())
      copyIfState(operand);
  }

  // Puts the new value into the state: its row, or all of it. Returns whether it was the row.
  bool update(OpOperand &returned) {
    Value made = returned.get();
    std::optional<Masked> masked = maskedIn(made, old);
    bool inPlace = masked && readBefore(*masked);
    Value put = inPlace ? putRow(*masked) : putAll(builder, made.getLoc(), made, others({made}, nullptr), old);
    if (inPlace)
      made.replaceUsesWithIf(put, [&](OpOperand &use) { return use.getOwner() != put.getDefiningOp(); });
    else
      returned.set(put);
    eraseDead(*block.getParent());
    return inPlace;
  }

  // Whether all other readers of the old value can run before the row is written. None of them may be made from the new
  // value.
  bool readBefore(const Masked &masked) {
    SmallVector<Operation *> readers = readersOf(old);
    return llvm::none_of(readers,
                         [&](Operation *reader) {
                           return reader != masked.select &&
                                  madeFrom(llvm::to_vector(reader->getOperands())).contains(masked.select);
                         }) &&
           !madeFrom({masked.row.value, masked.position.value}).contains(masked.select);
  }

  // Other readers of the old value that are not on the way to `needed`: the update waits for them.
  SmallVector<Value> others(ArrayRef<Value> needed, Operation *but) {
    SetVector<Operation *> makers = madeFrom(needed);
    llvm::SetVector<Value> values;
    for (Operation *reader : readersOf(old))
      if (reader != but && !makers.contains(reader))
        values.insert(reader->getResult(0));
    return values.takeVector();
  }

  // The update of one position. Updates must have each dimension of the domain once, in any order, so a row that lacks
  // one is copied.
  Value putRow(const Masked &masked) {
    ein::Equation select = masked.select;
    EquationBuilder build(builder, select->getLoc(), domainOf(select));
    Dims whole = resultOf(select).dims, rest, target;
    for (int64_t dim : whole) {
      target.push_back(dim == masked.dim ? -1 : dim);
      if (dim != masked.dim)
        rest.push_back(dim);
    }
    // Updates have each dimension of the domain once, in any order.
    Access row = masked.row;
    if (distinct(row.dims).size() != row.dims.size() || row.dims.size() != rest.size())
      row = {build.copy(row, rest), rest};
    return build.put({row, masked.position}, {old, target}, others({row.value, masked.position.value}, select), old);
  }

  Block &block;
  ArrayRef<Place> places;
  llvm::SmallPtrSet<Value, 4> states;
  Value old; // of the state at hand
  OpBuilder builder;
};

// A state is updated inside a body if all calls of the body have one at the same argument and result. Otherwise a call
// at the model's end writes it.
struct EinUpdateStates : algebra::impl::EinUpdateStatesBase<EinUpdateStates> {
  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    if (!model)
      return signalPassFailure();
    symbols.emplace(getOperation());
    dropUnchanged(model);
    // If all calls of a body have states at the same positions, the body updates them. Otherwise each is updated by
    // itself.
    llvm::MapVector<std::tuple<Operation *, unsigned, unsigned>, SmallVector<unsigned>> places;
    llvm::MapVector<Operation *, SmallVector<Place>> bodies;
    SmallVector<unsigned> alone;
    for (auto [index, name] : llvm::enumerate(model.getResultNames())) {
      if (!isa<ein::StateNameAttr>(name))
        continue;
      if (auto place = placeOf(model, index))
        places[*place].push_back(index);
      else
        alone.push_back(index);
    }
    for (auto &[place, results] : places) {
      auto [body, argument, result] = place;
      if (int64_t(results.size()) != countCalls(model, cast<ein::FuncOp>(body))) {
        llvm::append_range(alone, results);
        continue;
      }
      bodies[body].push_back({argument, result});
    }
    for (auto &[body, states] : bodies)
      for (auto [place, inPlace] : llvm::zip(states, BodyUpdates(cast<ein::FuncOp>(body), states).run()))
        for (unsigned index : places[{body, place.argument, place.result}])
          tell(model, index, inPlace);
    for (unsigned index : alone) {
      putBehind(model, index);
      tell(model, index, false);
    }
  }

private:
  // The argument of the model that holds the old value of a state.
  static Value oldOf(ein::ModelOp model, unsigned result) {
    return model.getBody().getArgument(*ein::findName(model.getArgNames(), model.getResultNames()[result]));
  }

  // A state whose new value is the old one, also through bodies that return it, is no result: nothing writes it.
  void dropUnchanged(ein::ModelOp model) {
    llvm::BitVector unchanged(model.getResultNames().size());
    for (auto [index, name] : llvm::enumerate(model.getResultNames())) {
      Value made = model.getBody().front().getTerminator()->getOperand(index);
      while (auto call = made.getDefiningOp<ein::CallOp>()) {
        auto body = symbols->lookup<ein::FuncOp>(call.getCallee());
        auto returned = dyn_cast<BlockArgument>(
            body.getBody().front().getTerminator()->getOperand(cast<OpResult>(made).getResultNumber()));
        if (!returned || returned.getArgNumber() >= call.getArgs().size())
          break;
        made = call.getArgs()[returned.getArgNumber()];
      }
      if (isa<ein::StateNameAttr>(name) && made == oldOf(model, index))
        unchanged.set(index);
    }
    if (unchanged.none())
      return;
    eraseResults(model, unchanged);
    pruneBodies(getOperation(), getArgument());
    symbols.emplace(getOperation());
  }

  static int64_t countCalls(ein::ModelOp model, ein::FuncOp body) {
    return llvm::count_if(model.getBody().getOps<ein::CallOp>(),
                          [&](ein::CallOp call) { return call.getCallee() == body.getSymName(); });
  }

  // The body that makes a state's new value, the argument that is the old one, and the index of the new one among its
  // results. Nullopt if another call also reads the old value.
  std::optional<std::tuple<Operation *, unsigned, unsigned>> placeOf(ein::ModelOp model, unsigned result) {
    Value made = model.getBody().front().getTerminator()->getOperand(result), old = oldOf(model, result);
    auto call = made.getDefiningOp<ein::CallOp>();
    if (!call || !old.hasOneUse() || *old.getUsers().begin() != call)
      return std::nullopt;
    unsigned argument = old.getUses().begin()->getOperandNumber(), position = cast<OpResult>(made).getResultNumber();
    auto body = symbols->lookup<ein::FuncOp>(call.getCallee());
    return std::tuple(body.getOperation(), argument, position);
  }

  // Adds a call at the model's end that writes the new value. It takes results of all readers of the old value as
  // further arguments, and so runs after them.
  void putBehind(ein::ModelOp model, unsigned result) {
    Operation *end = model.getBody().front().getTerminator();
    Value made = end->getOperand(result), old = oldOf(model, result);
    SmallVector<Value> given{made, old};
    for (Operation *user : old.getUsers())
      if (user != end && user->getNumResults() && !llvm::is_contained(given, user->getResult(0)))
        given.push_back(user->getResult(0));
    std::string name = (model.getSymName() + "." + ein::textOf(model.getResultNames()[result])).str();
    OpBuilder builder(model);
    auto types = llvm::map_to_vector(given, [](Value value) { return value.getType(); });
    auto body = ein::FuncOp::create(builder, made.getLoc(), name, builder.getFunctionType(types, made.getType()));
    SmallVector<Location> places(given.size(), made.getLoc());
    Block *block = builder.createBlock(&body.getBody(), {}, types, places);
    SmallVector<Value> after(block->getArguments().begin() + 2, block->getArguments().end());
    ein::ReturnOp::create(builder, made.getLoc(),
                          putAll(builder, made.getLoc(), block->getArgument(0), after, block->getArgument(1)));
    symbols->insert(body, model->getIterator());
    builder.setInsertionPoint(end);
    end->setOperand(result, ein::CallOp::create(builder, made.getLoc(), made.getType(), body.getSymName(), given,
                                                builder.getArrayAttr({}), builder.getArrayAttr({}), name, nullptr)
                                .getResult(0));
  }

  // Remarks whether a state is written in place or replaced by a copy.
  void tell(ein::ModelOp model, unsigned result, bool inPlace) {
    auto name = cast<ein::StateNameAttr>(model.getResultNames()[result]);
    remark::passed(model.getLoc(), remark::RemarkOpts::name(inPlace ? "UpdatedInPlace" : "CopiedToState")
                                       .category(getArgument())
                                       .function(model.getSymName()))
        << remark::add("state '{0}' {1}", name.getPath(),
                       inPlace ? "is written in place, at its positions alone"
                               : "is replaced by a copy of its new value");
  }

  std::optional<SymbolTable> symbols;
};

} // namespace
