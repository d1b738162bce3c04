# What `cmake --install` adds to programs and libraries: headers, the standard library, the license, and the package
# that find_package(plc) reads. Components 'runtime' and 'dev', its headers and libraries, need no LLVM; `cmake --install build
# --component runtime` installs what runs modules. A plug-in for MPI is a component by its name.
include(CMakePackageConfigHelpers)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/plc)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/plc)

foreach(room Module Runtime Simulator Support)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/plc/${room})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plc/${room} DESTINATION ${headers} COMPONENT dev)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plc/ DESTINATION ${headers} COMPONENT compiler)
# Our headers include what TableGen wrote as "dialects/.." and "lib/..", so these two folders lie under one of their own.
foreach(folder dialects lib)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/${folder} DESTINATION ${headers}/generated COMPONENT compiler
    FILES_MATCHING PATTERN "*.h.inc" PATTERN CMakeFiles EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/dialects DESTINATION ${headers}/generated COMPONENT compiler
  FILES_MATCHING PATTERN "*.td")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/Language/std ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${CMAKE_INSTALL_DATADIR}/plc COMPONENT compiler)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

install(EXPORT plc-runtime NAMESPACE plc:: DESTINATION ${package} COMPONENT dev)
install(EXPORT plc-compiler NAMESPACE plc:: DESTINATION ${package} COMPONENT compiler)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/plcConfig.cmake.in ${PROJECT_BINARY_DIR}/plcConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plcConfig.cmake ${PROJECT_BINARY_DIR}/plcConfigVersion.cmake DESTINATION ${package}
  COMPONENT dev)
