#!/bin/sh
# usage: localize.sh IN.a OUT.a
#
# Makes from cargo's static library one in which only the functions of the ABI are global, so that
# it links into a program beside other Rust libraries, and beside other copies of the C libraries
# that Hematite contains (zstd).
#
# The members that the ABI needs are linked into one relocatable object, in which every other
# symbol becomes local. Sections stay apart, so `-Wl,--gc-sections` still works on the result.
# LD, NM, OBJCOPY and AR name the tools for cross builds.
set -eu

in=$1
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Objects may carry bitcode beside their code, which nothing here needs and which makes binutils load
# whatever LLVM plugin is installed; naming the format keeps them from that.
format=$("${LD:-ld}" --print-output-format)

"${NM:-nm}" --target="$format" --defined-only --extern-only "$in" 2>/dev/null |
  awk 'NF == 3 && $2 == "T" && $3 ~ /^rocksdb_/ { print $3 }' | sort -u >"$work/abi"
[ -s "$work/abi" ] || { echo "localize.sh: $in has no function of the ABI" >&2; exit 1; }

sed 's/^/--undefined=/' "$work/abi" >"$work/roots"
"${LD:-ld}" -r --gc-sections -o "$work/hematite.o" "@$work/roots" "$in"
"${OBJCOPY:-objcopy}" -I "$format" -O "$format" --keep-global-symbols="$work/abi" \
  --remove-section=.llvmbc --remove-section=.llvmcmd "$work/hematite.o"

# Replaced whole, as it may be in use.
"${AR:-ar}" crsD "$work/out.a" "$work/hematite.o"
cp "$work/out.a" "$out.part"
mv -f "$out.part" "$out"
