//===- EmitLoop.cpp - iterations of a `repeat` as an ein loop -------------===//
#include "EmitEquations.h"
#include "plc/Dialect/Ein/Loops.h"
#include "plc/Dialect/Ein/Views.h"

using namespace plc::language;
using mlir::AffineMap;

/// The value with axis `from` as axis `to`: a transposition.
mlir::Value BodyEmitter::moveAxis(mlir::Value value, unsigned from, unsigned to, SMLoc location) {
  if (from == to)
    return value;
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<unsigned> order; // axis of the value, for each axis of the result
  for (unsigned axis = 0; axis < type.getRank(); ++axis)
    if (axis != from)
      order.push_back(axis);
  order.insert(order.begin() + to, from);
  llvm::SmallVector<int64_t> shape;
  for (unsigned axis : order)
    shape.push_back(type.getDimSize(axis));
  llvm::SmallVector<AffineMap> maps{mlir::inversePermutation(AffineMap::getPermutationMap(order, builder.getContext())),
                                    AffineMap::getMultiDimIdentityMap(shape.size(), builder.getContext())};
  return plc::ein::MapOp::create(builder, at(location), type.clone(shape), plc::ein::Function::id, value, shape,
                                 builder.getAffineMapArrayAttr(maps));
}

/// The slice of a value of all iterations, as an argument of the loop; each value is sliced once.
mlir::Value BodyEmitter::partOf(LoopFrame &frame, mlir::Value stacked) {
  auto parts = frame.iteration->getArguments().drop_front(frame.loop->carries.size());
  if (auto it = llvm::find(frame.slices, stacked); it != frame.slices.end())
    return parts[it - frame.slices.begin()];
  frame.slices.push_back(stacked);
  return frame.iteration->addArgument(plc::ein::partType(stacked.getType()), stacked.getLoc());
}

/// Whether a value is made inside the loop, or inside a loop in it.
bool BodyEmitter::isMadeIn(const LoopFrame &frame, mlir::Value value) const {
  auto own = llvm::find(loops, &frame);
  return std::any_of(own, loops.end(),
                     [&](const LoopFrame *each) { return value.getParentBlock() == each->iteration; });
}

/// A number that is linear in the iteration, as a slice of the numbers of all iterations.
mlir::Value BodyEmitter::emitIterationNumber(LoopFrame &frame, Loop::Linear linear, Element element, SMLoc location) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.restoreInsertionPoint(frame.before);
  mlir::MLIRContext *context = builder.getContext();
  auto type = mlir::RankedTensorType::get({frame.loop->iterations}, elementType(Element::I32));
  AffineMap line = AffineMap::getMultiDimIdentityMap(1, context), point = AffineMap::get(1, 0, context);
  mlir::Value numbers = plc::ein::IotaOp::create(builder, at(location), type);
  auto apply = [&](plc::ein::Function function, int64_t number) {
    mlir::Value other = emitNumber(double(number), location, Element::I32).value;
    numbers = plc::ein::MapOp::create(builder, at(location), type, function, mlir::ValueRange{numbers, other},
                                      type.getShape(), builder.getAffineMapArrayAttr({line, point, line}));
  };
  if (linear.step != 1)
    apply(plc::ein::Function::mul, linear.step);
  if (linear.first != 0)
    apply(plc::ein::Function::add, linear.first);
  if (element != Element::I32)
    numbers = plc::ein::CastOp::create(builder, at(location), type.clone(elementType(element)), numbers);
  return partOf(frame, numbers);
}

/// The index of the innermost `repeat` of that name, as a number.
mlir::Value BodyEmitter::emitIteration(const Node &node, Element element) {
  auto frame = std::find_if(loops.rbegin(), loops.rend(),
                            [&](const LoopFrame *each) { return each->loop->iteration == node.function; });
  return emitIterationNumber(**frame, {(*frame)->loop->first, 1}, element, node.location);
}

/// A number that changes with an iteration; nullopt for other numbers.
std::optional<mlir::Value> BodyEmitter::emitMovingNumber(const Node &node, Element element) {
  for (LoopFrame *frame : loops)
    if (auto it = frame->loop->numbers.find(&node); it != frame->loop->numbers.end())
      return emitIterationNumber(*frame, it->second, element, node.location);
  return std::nullopt;
}

std::optional<mlir::Value> BodyEmitter::emitMovingConstant(const Node::Position &position, Element element,
                                                           SMLoc location) {
  for (LoopFrame *frame : loops)
    if (auto it = frame->loop->positions.find(&position); it != frame->loop->positions.end())
      return emitIterationNumber(*frame, it->second, element, location);
  return std::nullopt;
}

mlir::Value BodyEmitter::beforeLoops(llvm::function_ref<mlir::Value()> make) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (!loops.empty())
    builder.restoreInsertionPoint(loops.front()->before);
  return make();
}

/// A draw. In a loop it is a slice of one draw over all iterations of all loops around it, so that each draws
/// differently.
mlir::Value BodyEmitter::emitDrawOfIterations(const Node &node, mlir::RankedTensorType type) {
  llvm::SmallVector<int64_t> shape;
  for (LoopFrame *frame : loops)
    shape.push_back(frame->loop->iterations);
  llvm::append_range(shape, type.getShape());
  bool normal = node.function == "normal";
  mlir::Value draw = beforeLoops(
      [&] { return plc::ein::RandomOp::create(builder, at(node.location), type.clone(shape), normal, draws); });
  draws += normal ? 2 : 1;
  for (LoopFrame *frame : loops)
    draw = partOf(*frame, draw);
  return draw;
}

/// A value from before a loop, read at a position that changes with the iteration: a slice of all positions that the
/// iterations read.
std::optional<BodyEmitter::Operand> BodyEmitter::emitMovingRead(const Node &node) {
  for (LoopFrame *frame : loops)
    for (auto [axis, position] : llvm::enumerate(node.positions))
      if (auto it = frame->loop->positions.find(&position);
          it != frame->loop->positions.end() && !isMadeIn(*frame, values[node.value]))
        return emitMovingRead(node, *frame, axis, it->second);
  return std::nullopt;
}

/// The iteration becomes an index of the position. The whole read is emitted before the loop, and its first axis is
/// sliced.
BodyEmitter::Operand BodyEmitter::emitMovingRead(const Node &node, LoopFrame &frame, unsigned axis,
                                                 Loop::Linear linear) {
  Node whole = node;
  Node::Position &moving = whole.positions[axis];
  int64_t extent = body.values[node.value].axes[axis].extent;
  bool isAxis = moving.indices.empty() && linear.first == 0 && linear.step == 1 && extent == frame.loop->iterations;
  moving.constant.reset();
  moving.start = linear.first;
  moving.indices.insert(moving.indices.begin(), iterationIndex);
  if (!isAxis)
    moving.strides.insert(moving.strides.begin(), linear.step);
  llvm::SmallVector<Node::Position> positions;
  unsigned iterationAxis = 0;
  for (const Node::Position &position : whole.positions) {
    if (position.constant)
      continue;
    if (&position == &moving)
      iterationAxis = positions.size(); // below counted in axes of the windows
    positions.push_back(position);
  }
  mlir::Value stacked;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(frame.before);
    iterationCount = frame.loop->iterations;
    stacked = emitWindow(selectConstants(whatIsRead(node), whole), positions, whole);
    unsigned shown = 0;
    for (const Node::Position &position : llvm::ArrayRef(positions).take_front(iterationAxis))
      shown += position.strides.empty() || isRun(position) ? 1 : position.indices.size();
    stacked = moveAxis(stacked, shown, 0, node.location);
  }
  // The slice has lost the iteration; the other indices of its position have axes of their own.
  llvm::SmallVector<Node::Position> left;
  for (auto [number, position] : llvm::enumerate(positions)) {
    if (number != iterationAxis) {
      left.push_back(position);
      continue;
    }
    for (IndexId id : llvm::drop_begin(position.indices))
      left.push_back({{id}});
  }
  return emitAxes(partOf(frame, stacked), left, node);
}

/// Fills the body of a loop. Values from outside are still read directly here.
void BodyEmitter::emitIteration(LoopFrame &frame) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(frame.iteration);
  for (const Loop::Carry &carry : frame.loop->carries)
    values[carry.argument] = frame.iteration->addArgument(typeOf(body.values[carry.argument], builder.getContext()),
                                                          at(body.values[carry.argument].location));
  loops.push_back(&frame);
  for (const Step &inner : frame.loop->steps)
    emit(inner);
  loops.pop_back();
}

/// Emits the body first, then the loop: only then are its slices and invariants known.
void BodyEmitter::emitLoop(const Step &of) {
  const Loop &loop = *of.loop;
  step = &of;
  mlir::Region region;
  region.push_back(new mlir::Block);
  LoopFrame frame{&loop, &region.front(), builder.saveInsertionPoint(), {}};
  emitIteration(frame);
  step = &of;
  llvm::SmallVector<mlir::Value> init, given, invariants;
  llvm::SmallVector<mlir::Type> types;
  for (const Loop::Carry &carry : loop.carries) {
    init.push_back(values[carry.init]);
    given.push_back(values[carry.next]);
    types.push_back(values[carry.init].getType());
  }
  for (const Loop::Element &element : loop.elements) {
    given.push_back(values[element.value]);
    types.push_back(plc::ein::stackedType(values[element.value].getType(), loop.iterations));
  }
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(frame.iteration);
    plc::ein::ReturnOp::create(builder, at(of.location), given);
  }
  // The body is isolated, so values from outside become invariants.
  for (mlir::Operation &op : *frame.iteration)
    for (mlir::OpOperand &operand : op.getOpOperands()) {
      mlir::Value value = operand.get();
      if (value.getParentBlock() == frame.iteration)
        continue;
      auto it = llvm::find(invariants, value);
      if (it == invariants.end()) {
        invariants.push_back(value);
        frame.iteration->addArgument(value.getType(), value.getLoc());
        it = std::prev(invariants.end());
      }
      unsigned first = frame.iteration->getNumArguments() - invariants.size();
      operand.set(frame.iteration->getArgument(first + (it - invariants.begin())));
    }
  auto made = plc::ein::LoopOp::create(builder, at(of.location), types, init, frame.slices, invariants, loop.iterations,
                                       /*reverse=*/false);
  made.getBody().takeBody(region);
  for (auto [carry, last] : llvm::zip(loop.carries, made.getLastCarries()))
    values[carry.last] = last;
  for (auto [element, stacked] : llvm::zip(loop.elements, made.getStacked())) {
    mlir::Value whole = stacked;
    // The first iteration's element is the last one: a window with stride -1.
    if (element.reverse) {
      llvm::SmallVector<plc::ein::AxisPositions> axes;
      auto shape = llvm::cast<mlir::RankedTensorType>(whole.getType()).getShape();
      for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis)
        axes.push_back(axis == 0 ? plc::ein::AxisPositions{loop.iterations - 1, {0}, {-1}}
                                 : plc::ein::AxisPositions{0, {axis}, {1}});
      whole = plc::ein::window(builder, at(of.location), whole, axes, shape);
    }
    values[element.whole] = moveAxis(whole, 0, element.axis, of.location);
  }
}
