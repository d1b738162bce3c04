//===- PlanInterfaces.td - what all actions have ---------------------------===//
#ifndef PLC_PLAN_INTERFACES
#define PLC_PLAN_INTERFACES

include "mlir/IR/Interfaces.td"

def Plan_ActionInterface : OpInterface<"ActionInterface"> {
  let cppNamespace = "::plc::plan";
  let description = [{
    One element of a rank's list. A message has four actions: its source does `send` and `wait_send`, its
    destination `post_recv` and `wait_recv`. Every other action concerns one rank alone.
  }];
  let methods = [
    InterfaceMethod<"The micro-batch that it is for; -1: once per step.", "int64_t", "getMicroBatch", (ins), "", [{
      if constexpr (requires { $_op.getMb(); })
        return $_op.getMb();
      else
        return -1;
    }]>,
    InterfaceMethod<"The channel of its message; null if it has none.", "::mlir::FlatSymbolRefAttr",
                    "getMessageChannel", (ins), "", [{
      if constexpr (requires { $_op.getChannelAttr(); })
        return $_op.getChannelAttr();
      else
        return {};
    }]>,
    InterfaceMethod<"Which action of a message it is, if it is one.", "std::optional<::plc::plan::MessagePart>",
                    "getMessagePart", (ins), "", [{
      if constexpr (requires { ConcreteOp::messagePart; })
        return ConcreteOp::messagePart;
      else
        return std::nullopt;
    }]>,
    InterfaceMethod<"The stage whose task it names; null if it names none.", "::mlir::FlatSymbolRefAttr",
                    "getTaskStage", (ins), "", [{
      if constexpr (requires { $_op.getStageAttr(); })
        return $_op.getStageAttr();
      else
        return {};
    }]>
  ];
  let extraSharedClassDeclaration = [{
    /// Whether it is at the source of a message: it reads the bytes there.
    bool isSend() {
      return $_op.getMessagePart() == ::plc::plan::MessagePart::send ||
             $_op.getMessagePart() == ::plc::plan::MessagePart::waitSend;
    }
    /// Whether it is at the destination of a message, which writes the bytes there.
    bool isReceive() { return $_op.getMessagePart() && !isSend(); }
    /// Whether it waits for another rank.
    bool isWait() {
      return $_op.getMessagePart() == ::plc::plan::MessagePart::waitSend ||
             $_op.getMessagePart() == ::plc::plan::MessagePart::waitReceive;
    }
  }];
}

#endif
