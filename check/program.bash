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

compiler_seconds=60

options=(-std=gnu++17 -fconcepts) files=()
# Prints the options of the tool's help that are near a misspelt one: " (did you mean --runs?)".
nearest_option() { # OPTION
    local near options
    mapfile -t options < <(sed -n '/^[^#]/q; s/^#.*[[ ]\(--[a-z-]*\).*/\1/p' "$0")
    near=$("$here/scripts/near" "${1%%=*}" "${options[@]}")
    echo "${near:+: $near}"
}
# Takes a file of the program, or an option that nvcc has, too. Sets `words` to the number of arguments that it
# has taken. nvcc's options for GPUs, for the speed of the code and for several files change nothing here.
take_argument() { # ARGUMENT...
    words=1
    case $1 in
    -I | -D | -isystem | -include) [ $# -gt 1 ] || bad "$1 needs a value" && options+=("$1" "$2") && words=2 ;;
    -I* | -D* | -std=*) options+=("$1") ;;
    --default-stream | -default-stream)
        [ $# -gt 1 ] || bad "$1 needs a value"
        take_argument "--default-stream=$2"
        words=2
        ;;
    --default-stream=per-thread | -default-stream=per-thread) options+=(-DCUDA_API_PER_THREAD_DEFAULT_STREAM) ;;
    --default-stream=* | -default-stream=*) ;;
    -arch=* | -gencode=* | -rdc=* | --relocatable-device-code=* | -dc | -O[0-3] | -g | -G | -lineinfo | \
        --use_fast_math | -use_fast_math | --expt-relaxed-constexpr | --expt-extended-lambda | --extended-lambda) ;;
    -*) bad "unknown option $1$(nearest_option "$1") (--help says which there are)" ;;
    *) files+=("$1") ;;
    esac
}

# Refuses a number before anything is compiled. The tools read it by strtod().
need_number() { # OPTION VALUE LEAST MOST
    if ! [[ $2 =~ ^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$ ]] ||
        ! LC_ALL=C awk "BEGIN { exit !($2 >= $3 && $2 <= $4) }"; then
        bad "$1 needs a number from $3 to $4, not $2"
    fi
    # The compiler has --seconds, too, but a short check does not end it early.
    [ "$1" != --seconds ] || compiler_seconds=$(LC_ALL=C awk "BEGIN { printf \"%d\", ($2 > 60) ? $2 : 60 }")
}

# ---- the compiler ----

# The flags are those of the suite's own kernels with two differences: the host's code keeps its exceptions,
# and functions made from templates do not share a section with other code.
read -rd '' -a flags < <(sed '/^#/d' "$here/machine/kernel.flags")
# Without weak symbols, the C++ library would take types to be compared by a function that it does not have.
flags+=(-w -pthread -fno-optimize-sibling-calls -fno-weak -D__GXX_TYPEINFO_EQUALITY_INLINE=1)
# Of DWARF 5, addr2line (binutils 2.40) reads a wrong file where a function's first line is in the first file of the
# list of files.
flags+=(-gdwarf-4 -g1)
# The compiler would put the instructions of a short memcpy() in its place, where the machine does not see them.
flags+=(-fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
# It would leave out tests whether new returns NULL, as it does in a kernel if the heap is full.
flags+=(-fcheck-new)
# Every program includes this header first. make check-tool compiles it beforehand. The compiler uses this
# compiled header if it was compiled with the same options.
header=gpusync/cuda.h precompiled=$build/machine/precompiled
include=(-I"$precompiled" -I"$here/check/include" -I"$here")
# Where the suite is installed, <gpusync/counter.cuh> is there (scripts/package/room.mk).
[ -f "$here/Makefile" ] || include+=(-I"$here/../../include")
# The CUDA Toolkit's headers, from which those come that check/include lacks or extends. Of libcu++ there is a small
# part here (check/libcuxx). A program that includes more, or CUB or Thrust, gets the toolkit's libcu++, which takes
# longer to compile; Thrust's own algorithms are those for hosts.
toolkit=() own_libcuxx=(-I"$here/check/libcuxx") toolkit_libcuxx=()
if nvcc=$("$here/scripts/find-nvcc" 2>/dev/null); then
    toolkit=("$(dirname -- "$(dirname -- "$nvcc")")/include")
    include+=(-isystem "${toolkit[0]}")
    toolkit_libcuxx=(-D__NVCC__ -fpermissive -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -isystem "${toolkit[0]}/cccl")
fi
libcuxx=("${own_libcuxx[@]}")

precompile_header() {
    mkdir -p "$precompiled/${header%/*}"
    "${cxx[@]}" -x c++-header "${options[@]}" -O2 "${flags[@]}" "${include[@]}" \
        "$here/check/include/$header" -o "$precompiled/$header.gch"
}

# Runs a command that reads the file `file` of the program, in English, with its messages in LOG. Ends the check if the
# command takes more processor time than `compiler_seconds`.
limited() { # LOG COMMAND...
    (
        ulimit -St "$compiler_seconds" 2>/dev/null
        export LC_ALL=C
        "${@:2}"
    ) 2>"$1" && return
    grep -qE '^[^ :]*: (fatal error|internal compiler error|error|line [0-9]+):.* CPU time limit exceeded' "$1" || return
    echo "$tool: $file: the compiler was ended after $compiler_seconds s of processor time (--seconds)" >&2
    exit 5
}

# Makes the folder `work`, which is removed at the end.
make_work() {
    trap 'rm -rf "${work:-}"' EXIT
    if ! { work=$(mktemp -d) && echo '#!/bin/sh' >"$work/first"; } 2>/dev/null; then
        cannot "no file can be written in ${TMPDIR:-/tmp} (TMPDIR chooses another folder)"
    fi
    if ! { chmod +x "$work/first" && "$work/first"; } 2>/dev/null; then
        cannot "no program can be executed in ${TMPDIR:-/tmp} (TMPDIR chooses another folder)"
    fi
}

# Makes headers that refuse a program by the name of the library that it includes (check/libraries.txt).
make_refusing_headers() {
    local name library
    mkdir "$work/refused"
    while read -r name library; do
        [[ $name != */* ]] || mkdir -p "$work/refused/${name%/*}"
        printf '#error gpusync: %s is not there: gpusync-check runs what it has the source code of\n' \
            "$library" >"$work/refused/$name"
    done < <(sed '/^#/d' "$here/check/libraries.txt")
}

# Prints the compiler's messages, which are in English because the compiler runs with LC_ALL=C. Those that the
# program's author can do nothing about in the place that they name (in a header of CUDA or ours) become one line
# that names the author's own line: the #include in the author's file, or the call from which the compiler has
# inlined the code.
# (The header that is compiled beforehand has the path that it had then, also if the folder has moved since.)
tell_messages() { # LOG
    local missing='no toolkit is found here (scripts/find-nvcc)'
    [ ${#toolkit[@]} -eq 0 ] || missing="not in ${toolkit[0]}"
    awk -v missing="$missing" -v wanted="${wanted_type-}" -v ours="^($here/check|$here/machine|${work:-/nowhere}|${toolkit[0]:-/nowhere}|/usr/)|/check/include/gpusync/" '
        function word() { w = substr($0, RSTART, RLENGTH); gsub(/\047/, "", w); return w }
        function is_own(place) { return place !~ ours }
        function tell(place, text) { if (!told[place]++) print place ": " text; refused = 1 }
        / from / && /:[0-9]+[,:]/ {
            place = $0; sub(/^.* from /, "", place); sub(/^.* at /, "", place); sub(/(:[0-9]+)?[,:]*$/, "", place)
            if (/inlined from/) sub(/[,:]*$/, "", place)
            if (place ~ /:[0-9]+:[0-9]+$/) sub(/:[0-9]+$/, "", place)
            if (place !~ /:[0-9]+$/) { place = $0; sub(/^.* from /, "", place); sub(/[,:]+$/, "", place) }
            if (own == "" && is_own(place)) own = place
        }
        { lines[NR] = $0 }
        /error: / {
            here = $0; sub(/:[0-9]+: [a-z ]*error: .*/, "", here)
            if (own == "" && is_own(here)) own = here
            text = $0
            if (wanted != "" && here ~ "^/.*/examples/check-my-barrier.cu:" &&
                text ~ /was not declared|is not a member of|does not name a type|has not been declared/) tell("check-barrier", wanted)
            else if (sub(/.*#error gpusync: /, "", text)) tell(own == "" ? here : own, text)
            else if (sub(/.*declared with attribute error: /, "", text)) tell(own == "" ? here : own, text)
            else if (match($0, /fatal error: (cuda|cub|thrust)\/[^:]*/)) {
                text = substr($0, RSTART + 13, RLENGTH - 13)
                tell(is_own(here) ? here : own, text " is the CUDA Toolkit'\''s, and " missing)
            } else if (match($0, /\047(CU[a-z][A-Za-z]*|cu(Init|Device|Ctx|Module|Launch|Mem|Func|Stream|Event)[A-Za-z]*)\047/))
                tell(of_driver == "" ? of_driver = here : of_driver, "CUDA'\''s driver API (" word() ") is not there: gpusync-check knows the runtime API")
            else if (match($0, /\047cuda(Device)?(Get|Set)?Graph[A-Za-z0-9_]*/))
                tell(of_graphs == "" ? of_graphs = here : of_graphs, "this function or type of graphs (" word() ") is not there")
            own = ""
        }
        END { if (!refused) for (i = 1; i <= NR; i++) print lines[i] }' "$1" >&2
}

# Preprocesses the file of compile_file(), whose variables it uses. It tries once more with the toolkit's libcu++ if
# the program includes something of it.
preprocess() {
    local preprocessed=0
    limited "$text.log" "${compile[@]}" "${libcuxx[@]}" -E -fpch-preprocess -x c++ "${first[@]}" "$file" \
        >"$text.read.ii" || preprocessed=1
    [ ${#toolkit[@]} -gt 0 ] && [ "${libcuxx[0]}" = "${own_libcuxx[0]}" ] || return "$preprocessed"
    if grep -qE 'fatal error: (cuda|cub|thrust)/' "$text.log" ||
        grep -qE "^# 1 \"${toolkit[0]}/(cccl/)?(cuda|cub|thrust)/" "$text.read.ii"; then
        libcuxx=("${toolkit_libcuxx[@]}")
        preprocess
        return
    fi
    return "$preprocessed"
}

# Compiles a file of the program to $work/NUMBER.o. Files whose names do not end in .cu or .cuh are what nvcc gives
# to the host's compiler, so they do not see nvcc's macros; a .c file is C.
compile_file() { # NUMBER FILE -O2|-O3
    local text=$work/$1 file=$2 compile=("${cxx[@]}" "${options[@]}" "$3" "${flags[@]}" -I"$work/refused" "${include[@]}")
    local first=(-include "$header")
    case $2 in
    *.cu | *.cuh | *.h) ;;
    *.c)
        limited "$text.log" "${cxx[@]}" -x c -O2 -w -c "$2" -o "$text.o" && return
        cat "$text.log" >&2
        exit 2
        ;;
    *) first+=(-include gpusync/host_file.h) ;;
    esac
    if ! preprocess; then
        tell_messages "$text.log"
        exit 2
    fi
    if ! limited "$text.log" "${rewrite[@]}" <"$text.read.ii" >"$text.ii"; then
        cat "$text.log" >&2
        exit 2
    fi
    compile+=("${libcuxx[@]}")
    if ! limited "$text.log" "${compile[@]}" -x c++-cpp-output -c "$text.ii" -o "$text.o"; then
        tell_messages "$text.log"
        exit 2
    fi
    ! grep -q '^# 1 ".*/omp.h"' "$text.read.ii" || needs_openmp=yes
}

# With FRONT_END=ptx, kernels are compiled by nvcc to PTX, which the machine executes by warps (machine/ptx/). For
# gpusync-check the PTX is not optimized, so that no access of the source is left out. The host's code is, so that a
# call of the toolkit's inline functions is in its debug information, with the line of the program.
compile_ptx() { # NUMBER FILE -O2|-O3
    local text=$work/$1 file=$2 option compile=("$nvcc")
    for option in "${options[@]}"; do
        [ "$option" = -fconcepts ] || compile+=("${option/gnu++/c++}")
    done
    compile+=(-DGPUSYNC_PTX -lineinfo --expt-relaxed-constexpr --extended-lambda
        --no-compress -cudart none -gencode "arch=compute_90,code=compute_90" -I"$here" -w
        -Xcompiler "$3,-g1,-gdwarf-4,-fsanitize=thread,-fno-optimize-sibling-calls"
        -Xcompiler -fno-builtin-memcpy,-fno-builtin-memmove,-fno-builtin-memset)
    # The toolkit's small functions are inlined, too, so that an instruction is of one place of the program.
    [ "$tool" != gpusync-check ] || compile+=(-Xcicc -O0 '-D__inline__=__inline__ __attribute__((always_inline))')
    [ -f "$here/Makefile" ] || compile+=(-I"$here/../../include")
    if ! limited "$text.log" "${compile[@]}" -MD -MF "$text.d" -c "$2" -o "$text.o"; then
        sed -E 's/^([^(]+)\(([0-9]+)\): /\1:\2: /' "$text.log" >&2
        exit 2
    fi
    # what list_sources() reads: the file's headers, those of the toolkit and of the system with the flag 3
    local real path
    real=$(realpath "${toolkit[0]}")
    sed 's/\\$//; s/^[^:]*\.o *://' "$text.d" | xargs -n 1 realpath -m --relative-base="$PWD" | while read -r path; do
        case $path in
        "$real"/*) printf '# 1 "%s" 1 3\n' "${toolkit[0]}${path#"$real"}" ;;
        /usr/*) printf '# 1 "%s" 1 3\n' "$path" ;;
        *) printf '# 1 "%s"\n' "$path" ;;
        esac
    done >"$text.read.ii"
}

# Tells which macros of -D no file mentions that the program includes, as their names may be misspelt. The
# preprocessor has written the names of the included files into its output.
tell_unused_macros() {
    local option before='' name included
    mapfile -t included < <(sed -nE '/^# [0-9]+ "([^<"]([^"\\]|\\.)*)".*/{ s//\1/; s/\\(.)/\1/g; p }' "$work"/*.read.ii | LC_ALL=C sort -u)
    for option in "${options[@]}"; do
        name=''
        [ "$before" != -D ] || name=${option%%=*}
        [[ $option != -D?* ]] || name=${option#-D} name=${name%%=*}
        before=$option
        case $name in '' | _* | NDEBUG) continue ;; esac
        grep -qwF -e "$name" -- "${included[@]}" 2>/dev/null ||
            echo "$tool: note: -D$name changes nothing: no file of the program mentions it" >&2
    done
}

# Writes to $work/sources which files a finding may name (check/sources.h): the program's own, and headers of
# libraries with their names, as the preprocessor writes names: with a backslash before each quote and backslash. The
# compiler's headers and those that stand for CUDA's are not among them.
list_sources() {
    local number name suite=$here/sync/
    [ -f "$here/Makefile" ] || suite=$here/../../include/gpusync/
    for number in "${!files[@]}"; do
        name=${files[number]//\\/\\\\}
        name=${name//\"/\\\"}
        printf '# 1 "%s"\n' "${name//$'\n'/\\n}"
        [ ! -f "$work/$number.read.ii" ] || cat "$work/$number.read.ii"
    done | awk -v checked="$here/check/" -v machine="$here/machine/" -v work="$work/" -v suite="$suite" \
        -v toolkit="${toolkit[0]:-/nowhere}/" '
        function is_in(folder) { return index(path, folder) == 1 }
        /^# [0-9]+ "/ {
            path = $0; sub(/^# [0-9]+ "/, "", path)
            match(path, /^([^"\\]|\\.)*/); flags = substr(path, RLENGTH + 2); path = substr(path, 1, RLENGTH)
            if (path in told || path ~ /^<|\/$/ || is_in(checked) || is_in(machine) || is_in(work)) next
            told[path] = 1
            if (is_in(suite)) name = "gpusync/" substr(path, length(suite) + 1)
            else if (flags !~ / 3/) { print "own\t" path; next }
            else if (path ~ /\/c\+\+\/|\/lib\/gcc/) next
            else if (is_in(toolkit)) {
                name = substr(path, length(toolkit) + 1); sub(/^cccl\//, "", name)
                if (name !~ /^(cub|thrust|cuda|cooperative_groups)\//) next
            } else if (path ~ /^\/usr\//) next
            else name = path
            print "library\t" path "\t" name
        }' >"$work/sources"
}

# Makes functions local to their files that are defined in a header which several files include, as nvcc does with
# functions of a GPU. Returns false if the linker complained of none, or of a symbol that has two definitions.
make_local() { # LOG OBJECT...
    local name object places changed=1
    while read -r name; do
        places=$(for object in "${@:2}"; do nm -l "$object"; done | awk -F '[ \t]' -v name="$name" '$3 == name && $2 ~ /[TD]/ { print $4 }' | sort -u)
        [ -n "$places" ] && [ "$(wc -l <<<"$places")" -eq 1 ] || return 1
        for object in "${@:3}"; do
            objcopy --localize-symbol="$name" "$object" || return 1
        done
        changed=0
    done < <(sed -n "s/.*multiple definition of [\`']\([^']*\)'.*/\1/p" "$1" | sort -u)
    return "$changed"
}

# Compiles the files, and links them with build/machine/ENTRY.o. The main() of the entry runs the program; an entry
# without one leaves this to the files' own main(). Sets `program` to the path of the linked program.
make_program() { # ENTRY -O2|-O3
    local object=$build/machine/$1.o needed number
    for needed in "${files[@]}"; do
        [ -f "$needed" ] || bad "no file $needed$([ "$tool" != gpusync-predict ] ||
            [ ! -f "$here/machine/presets/$needed.json" ] || echo "; --device $needed chooses that GPU")"
    done
    for needed in "$object" "$build/host/check-rewrite"; do
        [ -f "$needed" ] || cannot "not built: make check-tool"
    done
    for needed in "${cxx[0]}" objcopy; do
        command -v "$needed" >/dev/null ||
            cannot "there is no $needed here; Debian's packages g++ and binutils bring what is needed"
    done
    make_work
    make_refusing_headers
    program=$work/program needs_openmp=''
    local objects=() renamed=(--redefine-sym main=gpusync_checked_main)
    rewrite=("$build/host/check-rewrite")
    # The library's functions make no requests, so that the machine would not see what they read and write.
    [ "$1" != check ] || rewrite+=(--rules)
    # A finding names the calls that led to it, also those of functions that are not inlined (machine/code/calls.h).
    # The compiler would merge equal code of several lines into that of one of them.
    [ "$1" != check ] || flags+=(--param tsan-instrument-func-entry-exit=1 -fno-crossjumping -fno-tree-tail-merge
        -fno-tree-cselim -fno-code-hoisting -fno-tree-sink)
    # A program that ends by _exit() must leave a record, too.
    [ "$1" != check ] || renamed+=(--redefine-sym _exit=machine_checked_exit
        --redefine-sym _Exit=machine_checked_Exit --redefine-sym quick_exit=machine_checked_quick_exit)
    [ "$1" != check ] || renamed+=(--redefine-sym memcpy=machine_memcpy
        --redefine-sym memmove=machine_memmove --redefine-sym memset=machine_memset)
    # A kernel takes memory from the heap of its device (machine/cuda/device_heap.c).
    local name
    for name in malloc free _Zn{w,a}m{,RKSt9nothrow_t,St11align_val_t} _Zd{l,a}Pv{,m}{,St11align_val_t}; do
        renamed+=(--redefine-sym "$name=machine_$name")
    done
    for number in "${!files[@]}"; do
        if [ "${FRONT_END-}" = ptx ]; then
            compile_ptx "$number" "${files[number]}" "$2"
        else
            compile_file "$number" "${files[number]}" "$2"
        fi
        objects+=("$work/$number.o")
        [ "$1" = barrier ] || objcopy "${renamed[@]}" "$work/$number.o" || exit 3
    done
    tell_unused_macros
    # shellcheck disable=SC2206  # several libraries in one variable
    local libraries=(${CJSON_LIBS--lcjson} ${BOOST_CONTEXT_LIBS--lboost_context} ${CAPSTONE_LIBS--lcapstone}
        ${Z_LIBS--lz} -lm -pthread)
    # A wheel brings these libraries (scripts/package/wheel).
    [ ! -d "$build/lib" ] ||
        libraries=("$build"/lib/*.so* -Xlinker -rpath -Xlinker "$build/lib" -lm -pthread)
    [ -z "$needs_openmp" ] || libraries+=(-lgomp)
    # LINKED_WITH has the options of the sanitizers with which ENTRY.o was compiled (make test-sanitized).
    # shellcheck disable=SC2206  # several options in one variable
    local link=("${cxx[@]}" ${LINKED_WITH-} -Wl,--no-demangle -o "$program" "$object" "${objects[@]}" "${libraries[@]}")
    # gold takes half the time, but does not find a library that comes after a broken link of the same name.
    if command -v ld.gold >/dev/null && LC_ALL=C "${link[@]}" -fuse-ld=gold 2>/dev/null; then return; fi
    if ! LC_ALL=C "${link[@]}" 2>"$work/link.log" &&
        ! { make_local "$work/link.log" "${objects[@]}" && LC_ALL=C "${link[@]}" 2>"$work/link.log"; }; then
        if grep -q "undefined reference to [\`']gpusync_checked_main'" "$work/link.log"; then
            bad "no main() in ${files[*]} (name all files of the program)"
        fi
        local told
        told=$(grep -m 3 -oE "undefined reference to .*|multiple definition of .*" "$work/link.log" | sed "s/\`/'/g" | c++filt)
        echo "${told:-$(cat "$work/link.log")}" >&2
        bad "${files[*]} cannot be linked"
    fi
}

# Runs the linked program as if it ran alone: with the environment that this script has got, without the variables that
# bash adds, and named as its first file is. The tool's options are beside it (check/checked_program.c).
run_program() { # ARGUMENT OF THE PROGRAM...
    local name=${files[0]##*/} environment
    printf '%s\0' "./${name%.*}" "${tool_options[@]}" >"$work/options"
    mapfile -d '' -t environment < <(grep -az = "/proc/$$/environ")
    # nice stands between the two because env takes each word with = for a variable.
    env -i -- "${environment[@]}" nice -n 0 "$program" "$@"
}
