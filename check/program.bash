# What scripts/gpusync-check, scripts/gpusync-predict and check/barrier share: the way from a CUDA file to a
# program that runs on the memory machine. The script that sources this file has set `tool`, its own name,
# which begins each message.
# shellcheck shell=bash
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 3
build=${BUILD:-$here/build}
read -ra cxx <<<"${CXX:-g++}"
bad() { echo "$tool: $1" >&2 && exit 2; }
cannot() { echo "$tool: $1" >&2 && exit 3; }

# ---- the command line ----

options=(-std=gnu++17 -fconcepts) file=''
# Prints the options of the tool's help that are near a misspelt one: " (did you mean --runs?)".
nearest_option() { # OPTION
    local near options
    mapfile -t options < <(sed -n '/^[^#]/q; s/^#.*[[ ]\(--[a-z-]*\).*/\1/p' "$0")
    near=$("$here/scripts/near" "${1%%=*}" "${options[@]}")
    echo "${near:+: $near}"
}
# Takes the CUDA file, or an option that nvcc has, too. Sets `words` to the number of arguments that it has
# taken.
take_argument() { # ARGUMENT...
    words=1
    case $1 in
    -I | -D) [ $# -gt 1 ] || bad "$1 needs a value" && options+=("$1$2") && words=2 ;;
    -I* | -D* | -std=*) options+=("$1") ;;
    -*) bad "unknown option $1$(nearest_option "$1") (--help says which there are)" ;;
    *)
        [ -z "$file" ] || bad "one file, not $file and $1 (arguments of the program come after --)"
        file=$1
        ;;
    esac
}

# ---- the compiler ----

# The flags are those of the suite's own kernels with two differences: the host's code keeps its exceptions,
# and functions made from templates do not share a section with other code.
read -rd '' -a flags < <(sed '/^#/d' "$here/machine/kernel.flags")
flags+=(-w -pthread -fno-optimize-sibling-calls -fno-weak)
# The compiler would put the instructions of a short memcpy() in its place, where the machine does not see them.
flags+=(-fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
# Every program includes this header first. make check-tool compiles it beforehand. The compiler uses this
# compiled header if it was compiled with the same options.
header=gpusync/cuda.h precompiled=$build/machine/precompiled
include=(-I"$precompiled" -I"$here/check/include" -I"$here")
# Where the suite is installed, <gpusync/counter.cuh> is there (scripts/package/room.mk).
[ -f "$here/Makefile" ] || include+=(-I"$here/../../include")

precompile_header() {
    mkdir -p "$precompiled/${header%/*}"
    "${cxx[@]}" -x c++-header "${options[@]}" -O2 "${flags[@]}" "${include[@]}" \
        "$here/check/include/$header" -o "$precompiled/$header.gch"
}

# Makes the folder `work`, which is removed at the end.
make_work() {
    trap 'rm -rf "${work:-}"' EXIT
    if ! { work=$(mktemp -d) && echo x >"$work/first"; } 2>/dev/null; then
        cannot "no file can be written in ${TMPDIR:-/tmp} (TMPDIR chooses another folder)"
    fi
}

# Compiles the file, and links it with build/machine/ENTRY.o. The main() of the entry runs the program; an entry
# without one leaves this to the file's own main(). Sets `program` to the path of the linked program.
make_program() { # ENTRY -O2|-O3
    local object=$build/machine/$1.o needed
    local compile=("${cxx[@]}" "${options[@]}" "$2" "${flags[@]}" "${include[@]}")
    [ -f "$file" ] || bad "no file $file"
    for needed in "$object" "$build/host/check-rewrite"; do
        [ -f "$needed" ] || cannot "not built: make check-tool"
    done
    for needed in "${cxx[0]}" objcopy; do
        command -v "$needed" >/dev/null ||
            cannot "there is no $needed here; Debian's packages g++ and binutils bring what is needed"
    done
    make_work
    program=$work/program
    "${compile[@]}" -E -fpch-preprocess -x c++ -include "$header" "$file" >"$work/read.ii" || exit 2
    local rewrite=("$build/host/check-rewrite")
    [ "$1" != check ] || rewrite+=(--rules)
    "${rewrite[@]}" <"$work/read.ii" >"$work/machine.ii" || exit 2
    "${compile[@]}" -x c++-cpp-output -c "$work/machine.ii" -o "$work/program.o" || exit 2
    local renamed=(--redefine-sym main=gpusync_checked_main)
    # the library's functions make no requests, so that the machine would not see what they read and write
    [ "$1" != check ] || renamed+=(--redefine-sym memcpy=machine_memcpy
        --redefine-sym memmove=machine_memmove --redefine-sym memset=machine_memset)
    [ "$1" = barrier ] || objcopy "${renamed[@]}" "$work/program.o" || exit 3
    # shellcheck disable=SC2206  # several libraries in one variable
    local libraries=(${CJSON_LIBS--lcjson} ${BOOST_CONTEXT_LIBS--lboost_context} ${CAPSTONE_LIBS--lcapstone}
        ${Z_LIBS--lz} -lm -pthread)
    # A wheel brings these libraries (scripts/package/wheel).
    [ ! -d "$build/lib" ] ||
        libraries=("$build"/lib/*.so* -Xlinker -rpath -Xlinker "$build/lib" -lm -pthread)
    local linker=() # gold takes half the time
    ! command -v ld.gold >/dev/null || linker=(-fuse-ld=gold)
    if ! "${cxx[@]}" "${linker[@]}" -o "$program" "$work/program.o" "$object" "${libraries[@]}" \
        2>"$work/link.log"; then
        grep -m 3 -o "undefined reference to .*" "$work/link.log" >&2 || cat "$work/link.log" >&2
        bad "$file cannot be linked"
    fi
}
