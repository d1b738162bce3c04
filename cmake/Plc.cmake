# Most of the time to compile a source on MLIR goes into the same headers, so all share one precompiled form of them.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "") # untouched if it is there
add_library(PLCPrecompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_precompile_headers(PLCPrecompiled PRIVATE
  <mlir/Bytecode/BytecodeOpInterface.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/DialectImplementation.h>
  <mlir/Interfaces/FunctionInterfaces.h> <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/PassManager.h>)

# A source of 200 lines takes seconds in headers and their templates, which its neighbours need as well, so neighbours are compiled as one.
# Presets for checking (clang, asan) compile each by itself: a source names all that it uses.
option(PLC_UNITY "Compile neighbouring sources together" ON)

# Shares the precompiled headers with a program on MLIR, which must then be compiled as libraries are.
function(plc_precompiled name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM PLCPrecompiled)
endfunction()

# One static library per folder: plc_library(PLCName sources... DEPENDS targets... LINK libraries...). One on MLIR is a part of the shared
# library of the compiler (PLCCompiler, lib/CMakeLists.txt), which programs link instead. What needs neither LLVM nor MLIR may say COMPONENT
# runtime: it is then installed by itself, and found without them, as plc::Name or as EXPORT says.
function(plc_library name)
  cmake_parse_arguments(ARG "" "COMPONENT;EXPORT" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  # A library's own headers are named from its folder in lib/, as "Cuts/CutGraph.h".
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(MLIR IN_LIST ARG_LINK)
    target_precompile_headers(${name} REUSE_FROM PLCPrecompiled)
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${PLC_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  if(NOT ARG_COMPONENT)
    return()
  endif()
  if(NOT ARG_EXPORT)
    string(REPLACE "PLC" "" ARG_EXPORT ${name})
  endif()
  plc_export(${name} ${ARG_EXPORT} ${ARG_COMPONENT})
endfunction()

# Installs a library as plc::EXPORTED of a component, 'runtime' or 'compiler'. What only builds programs on the runtime is
# of component 'dev'.
function(plc_export name exported component)
  set(development ${component})
  if(component STREQUAL runtime)
    set(development dev)
  endif()
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${exported})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(component STREQUAL compiler) # what TableGen wrote (cmake/Install.cmake)
    target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/plc/generated>)
  endif()
  install(TARGETS ${name} EXPORT plc-${component} COMPONENT ${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/plc COMPONENT ${development}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${development})
endfunction()

# The loader takes 27 ms to bind the symbols of the shared LLVM; a program with LLVM inside starts in 5 (AMD EPYC). Tests start thousands.
option(PLC_STANDALONE "Have LLVM inside the programs of build/bin/; those that are installed are then in build/shared/" ON)

# A program in build/bin/. On MLIR it names only the shared MLIR and LLVM, which it shares with plug-ins: naming an archive beside them
# breaks. tools/standalone has the others.
function(plc_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${PLC_UNITY})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(MLIR IN_LIST ARG_LINK)
    plc_precompiled(${name})
    if(PLC_STANDALONE)
      set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shared)
    endif()
    install(TARGETS ${name} COMPONENT compiler)
  else()
    install(TARGETS ${name} COMPONENT runtime)
  endif()
endfunction()

# A program that tests run, in build/unit/ (%unit).
function(plc_test_program name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit UNITY_BUILD ${PLC_UNITY})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(MLIR IN_LIST ARG_LINK)
    plc_precompiled(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY PLC_UNIT_TESTS ${name})
endfunction()

# A GoogleTest program. Each of its sources FooTest.cpp is a lit test (test/formats.py); with ARGUMENTS the program needs
# some, so that a .test runs it as %unit/NAME.
function(plc_unit_test name)
  cmake_parse_arguments(ARG "ARGUMENTS" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  plc_test_program(${name} ${ARG_UNPARSED_ARGUMENTS} LINK ${ARG_LINK} GTest::gtest GTest::gtest_main)
  # Classes of tests are of one source each, also where sources are compiled together.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  if(NOT ARG_ARGUMENTS)
    foreach(source IN LISTS ARG_UNPARSED_ARGUMENTS)
      if(source MATCHES "Test\\.cpp$")
        file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR}/test ${CMAKE_CURRENT_SOURCE_DIR}/${source})
        set_property(GLOBAL APPEND PROPERTY PLC_UNIT_SOURCES ${source}=${name})
      endif()
    endforeach()
  endif()
endfunction()
