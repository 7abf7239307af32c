# Installs the library a second time under RocksDB's names, for programs that ask for those:
# librocksdb.so and librocksdb.a, rocksdb.pc, the CMake package RocksDB, rocksdb/version.h.

file(STRINGS ${root}/include/rocksdb/version.h lines REGEX "^#define ROCKSDB_(MAJOR|MINOR|PATCH) ")
foreach(line ${lines})
  string(REGEX MATCH "(ROCKSDB_[A-Z]+) ([0-9]+)" matched "${line}")
  set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()
set(ROCKSDB_VERSION ${ROCKSDB_MAJOR}.${ROCKSDB_MINOR}.${ROCKSDB_PATCH})
set(rocksdb_soname librocksdb.so.${ROCKSDB_MAJOR})
# What Debian's programs of RocksDB 7.8 ask for.
set(rocksdb_old_soname librocksdb.so.7.8)

# Linked from the same object as the static library, so that only the SONAME differs.
set(rocksdb_shared ${CMAKE_CURRENT_BINARY_DIR}/librocksdb.so.${ROCKSDB_VERSION})
list(TRANSFORM static_needs PREPEND -l OUTPUT_VARIABLE needs_flags)
add_custom_target(rocksdb_names ALL
  COMMAND ${CMAKE_C_COMPILER} -shared -o ${rocksdb_shared} -Wl,-soname,${rocksdb_soname}
    -Wl,--gc-sections -Wl,-z,relro,-z,now -Wl,--whole-archive ${static} -Wl,--no-whole-archive
    ${needs_flags}
  BYPRODUCTS ${rocksdb_shared}
  VERBATIM)
add_dependencies(rocksdb_names hematite_libraries)

install(FILES ${root}/include/rocksdb/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rocksdb)
install(PROGRAMS ${rocksdb_shared} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(CODE "
  set(dir \"\$ENV{DESTDIR}${CMAKE_INSTALL_FULL_LIBDIR}\")
  file(CREATE_LINK librocksdb.so.${ROCKSDB_VERSION} \"\${dir}/${rocksdb_soname}\" SYMBOLIC)
  file(CREATE_LINK librocksdb.so.${ROCKSDB_VERSION} \"\${dir}/${rocksdb_old_soname}\" SYMBOLIC)
  file(CREATE_LINK ${rocksdb_soname} \"\${dir}/librocksdb.so\" SYMBOLIC)
  file(CREATE_LINK libhematite.a \"\${dir}/librocksdb.a\" SYMBOLIC)
")

configure_file(${root}/pkgconfig/rocksdb.pc.in rocksdb.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rocksdb.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rocksdb)
configure_package_config_file(RocksDBConfig.cmake.in RocksDBConfig.cmake
  INSTALL_DESTINATION ${package}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(RocksDBConfigVersion.cmake
  VERSION ${ROCKSDB_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/RocksDBConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/RocksDBConfigVersion.cmake
  DESTINATION ${package})
