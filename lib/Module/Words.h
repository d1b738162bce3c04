//===- Words.h - the words of manifests --------------------------*- C++ -*-===//
#ifndef PLC_LIB_MODULE_WORDS_H
#define PLC_LIB_MODULE_WORDS_H

#include "plc/Module/ActionTable.h"

#include <utility>

namespace plc::module {

// In the order of their enums.
inline constexpr std::pair<const char *, StaticKind> staticKinds[] = {
    {"parameter", StaticKind::Parameter}, {"gradient", StaticKind::Gradient}, {"moment1", StaticKind::Moment1},
    {"moment2", StaticKind::Moment2},     {"input", StaticKind::Input},       {"output", StaticKind::Output}};

inline constexpr std::pair<const char *, ActionInfo::Op> actionOps[] = {
    {"run", ActionInfo::Op::Run},   {"post_recv", ActionInfo::Op::PostRecv}, {"wait_recv", ActionInfo::Op::WaitRecv},
    {"send", ActionInfo::Op::Send}, {"wait_send", ActionInfo::Op::WaitSend}, {"drop", ActionInfo::Op::Drop},
    {"step", ActionInfo::Op::Step}};

} // namespace plc::module

#endif
