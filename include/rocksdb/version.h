/*
 * The release of RocksDB whose C interface this is, for programs that compile differently for
 * different ones.
 */
#ifndef HEMATITE_ROCKSDB_VERSION_H
#define HEMATITE_ROCKSDB_VERSION_H

#define ROCKSDB_MAJOR 11
#define ROCKSDB_MINOR 8
#define ROCKSDB_PATCH 1

#define ROCKSDB_MAKE_VERSION_INT(a, b, c) ((a) * 1000000 + (b) * 1000 + (c))
#define ROCKSDB_VERSION_INT \
  ROCKSDB_MAKE_VERSION_INT(ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH)
#define ROCKSDB_VERSION_GE(a, b, c) (ROCKSDB_VERSION_INT >= ROCKSDB_MAKE_VERSION_INT(a, b, c))

#endif /* HEMATITE_ROCKSDB_VERSION_H */
