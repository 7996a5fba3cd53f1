# What scripts/gpusync-check and scripts/gpusync-predict share: the way from a CUDA file to a program that
# runs on the memory machine. The script that sources this file has set `tool` to its own name, with which
# each message begins.
# shellcheck shell=bash
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd) || exit 3
build=${BUILD:-$here/build}
read -ra cxx <<<"${CXX:-g++}"
# shellcheck source=scripts/options
source "$here/scripts/options" || exit 3

# ---- the command line ----

compiler_seconds=60

options=() linked=() launches=() skipped=() arch=90
# nvcc lets a shell evaluate what it is given, so these texts must not contain commands.
refuse_commands() { # TEXT...
    local text
    for text in "$@"; do
        [[ $text != *[\`\$]* ]] || bad "nvcc would let a shell evaluate $text"
    done
}
# Reads an option that nvcc also has, or --launch or --skip-calls. nvcc's options for debugging change nothing here, those for
# the architecture only say whether the code is for sm_90 or sm_90a, and neither do libraries of CUDA: the machine stands for the runtime, and other libraries that come compiled are
# reported by name if the program calls them.
other_option() { # WORD...
    case $1 in
    -I | -D | -U | -isystem | -include | --default-stream | -default-stream | -Xcompiler)
        [ $# -gt 1 ] || bad "$1 needs a value"
        refuse_commands "$2"
        options+=("$1" "$2") taken=2 ;;
    --launch)
        [ $# -gt 1 ] || bad "--launch needs a value"
        launches+=("$2") taken=2 ;;
    --skip-calls)
        [ -n "${2-}" ] || bad "--skip-calls needs a value"
        local patterns
        IFS=, read -ra patterns <<<"$2"
        skipped+=("${patterns[@]}") taken=2 ;;
    -I* | -D* | -U* | -std=* | --std=* | --default-stream=* | -default-stream=* | -Xcompiler=* | -rdc=* | \
        --relocatable-device-code=* | -use_fast_math | --use_fast_math | -ftz=* | -fmad=* | -prec-div=* | -prec-sqrt=*)
        refuse_commands "$1"
        options+=("$1") ;;
    -dc) options+=(-rdc=true) ;;
    -L* | -l*) linked+=("$1") ;;
    -arch=* | --gpu-architecture=* | -gencode=*) [[ $1 != *_90a* ]] || arch=90a ;;
    -gencode | -arch) [[ ${2-} != *_90a* ]] || arch=90a
        taken=2 ;;
    -O[0-3] | -g | -G | -lineinfo | -w | --expt-relaxed-constexpr | --expt-extended-lambda | --extended-lambda) ;;
    *) return 1 ;;
    esac
}

# Refuses a number before anything is compiled. The tools read it by strtod().
need_number() { # OPTION VALUE LEAST MOST
    if ! [[ $2 =~ ^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$ ]] ||
        ! LC_ALL=C awk "BEGIN { exit !($2 >= $3 && $2 <= $4) }"; then
        bad "$1 needs a number from $3 to $4, not $2"
    fi
    # --seconds limits the compiler's time, too, but not to less than 60 seconds.
    [ "$1" != --seconds ] || compiler_seconds=$(LC_ALL=C awk "BEGIN { printf \"%d\", ($2 > 60) ? $2 : 60 }")
}

# ---- the compiler ----

# Runs a command that reads the file `file` of the program, in English, with its messages in LOG. Ends the check if the
# command takes more processor time than `compiler_seconds`.
limited() { # LOG COMMAND...
    (
        ulimit -St "$compiler_seconds" 2>/dev/null
        # bash lets a job of compile_files() ignore these signals of the terminal
        env LC_ALL=C --default-signal=INT,QUIT "${@:2}"
    ) 2>"$1" && return
    grep -qE '^[^ :]*: (fatal error|internal compiler error):.* CPU time limit exceeded|^nvcc error.* signal 24' "$1" ||
        return
    echo "$tool: $file: the compiler was ended after $compiler_seconds s of processor time (--seconds)" >&2
    exit 5
}

# Makes the folder `work`, which is removed at the end.
make_work() {
    trap 'rm -rf "${work:-}"' EXIT
    refuse_commands "$PWD" "$here" "${TMPDIR-}"
    if ! { work=$(mktemp -d) && echo '#!/bin/sh' >"$work/first"; } 2>/dev/null; then
        cannot "no file can be written in ${TMPDIR:-/tmp} (TMPDIR chooses another folder)"
    fi
    if ! { chmod +x "$work/first" && "$work/first"; } 2>/dev/null; then
        cannot "no program can be executed in ${TMPDIR:-/tmp} (TMPDIR chooses another folder)"
    fi
}

# Prints nvcc's messages as FILE:LINE: error: TEXT. A message of the assembler names a line of the PTX that the
# compiler has made, so the file is compiled once more to PTX, which says from which line of the program each
# instruction is. If `wanted_type` is set, this text is printed if check-my-barrier.cu lacks a name.
tell_messages() { # LOG COMMAND...
    local ptx=${1%.log}.ptx
    if [ -n "${wanted_type-}" ] && grep -qE "^$here/examples/check-my-barrier.cu\([0-9]+\): error" "$1"; then
        echo "$tool: $wanted_type" >&2
        return
    fi
    : >"$ptx"
    ! grep -qE '^ptxas .*line [0-9]+; (error|fatal)' "$1" || "${@:2}" --ptx -o "$ptx" 2>/dev/null
    awk -v file="$file" -v tool="$tool" -v here="$PWD/" '
        function shown(path) { return index(path, here) == 1 ? substr(path, length(here) + 1) : path }
        FILENAME == ARGV[1] {
            if ($1 == ".loc") at[FNR] = $2 " " $3 + 0
            else if (/^\t?\.file[ \t]+[0-9]+ "/) { split($0, part, "\""); name[$2] = part[2] }
            next
        }
        /^ptxas (fatal|warning|info).*Ptx assembly aborted/ { next }
        match($0, /^ptxas .*line [0-9]+; (error|fatal) *: */) {
            text = substr($0, RLENGTH + 1); line = $0; sub(/; (error|fatal) .*/, "", line); sub(/.* /, "", line)
            while (line > 0 && !(line in at)) line--
            split(at[line], place, " ")
            $0 = (line > 0 ? shown(name[place[1]]) ":" place[2] : file) ": error: " text
        }
        match($0, /Unresolved extern (function|variable) \x27[^\x27]*/) {
            split($0, part, "\x27")
            $0 = file ": error: " part[2] " of the GPU is defined in no file that this one is linked with (-rdc=true " \
                "links what several files define, as with nvcc)"
        }
        /^nvcc fatal|^nvcc error/ { sub(/ *: */, ": "); $0 = tool ": " $0 }
        { if (match($0, /^[^ ()]([^()]*[^ ()])?\([0-9]+\): /)) { line = $0; sub(/\(/, ":"); sub(/\):/, ":") } print }
        ' "$ptx" "$1" | c++filt >&2
}

# Prints a name as the preprocessor writes names.
escaped() { # NAME
    local name=${1//\\/\\\\}
    printf '%s' "${name//$'\t'/\\t}"
}

# Prints what -gencode needs for an architecture. For predictions, the machine code says what each line costs, and the
# registers of a thread, which limit the blocks that fit.
target_of() { # 90 or 90a
    local codes=compute_$1
    [ "$entry" != predict ] || codes=[compute_$1,sm_$1]
    echo "arch=compute_$1,code=$codes"
}

# Compiles a file of the program to $work/NUMBER.o; an object file of nvcc is taken as it is. nvcc compiles its kernels to PTX, which the machine executes by
# warps (machine/ptx/). For gpusync-check the PTX is not optimized, so that no access of the source is left out. The
# host's code is, so that a call of the toolkit's inline functions is in its debug information, with the line of the
# program; -O2 would take up to twice the compiler's time of -O1. A file whose name does not say that it is C or CUDA
# is C++.
compile_file() { # NUMBER FILE -O1|-O3
    local text=$work/$1 file=$2
    case $2 in
    *.o)
        ! grep -qaE '^\.visible|__cudaRegisterFatBinary' "$2" || grep -qaE '^\.version [0-9]' "$2" || bad "$2 has no uncompressed PTX: nvcc -gencode arch=compute_90,code=compute_90 --no-compress -c makes it"
        cp -- "$2" "$text.o" || exit 3
        return ;;
    *.ptx)
        take_ptx "$2"
        return ;;
    esac
    [[ $(head -c 4 -- "$2" | tr -d '\0') != $'\177ELF' ]] || bad "$2 is a linked program; name its object files, which nvcc -gencode arch=compute_90,code=compute_90 --no-compress -c makes"
    local compile=("$nvcc" -ccbin "${cxx[0]}" -DGPUSYNC_MACHINE)
    # The library's functions make no requests, so that the machine would not see what they read and write.
    compile+=(-w "-I$here" -Xcompiler "$3,-finline-small-functions,-g1,-gdwarf-4,-fsanitize=thread,-fno-optimize-sibling-calls"
        -Xcompiler -fno-builtin-memcpy,-fno-builtin-memmove,-fno-builtin-memset,--param=tsan-distinguish-volatile=1)
    [ ${#cxx[@]} -eq 1 ] || compile+=("${cxx[@]:1}")
    # Where the suite is installed, <gpusync/counter.cuh> is there (scripts/package/room.mk).
    [ -f "$here/Makefile" ] || compile+=("-I$here/../../include")
    # A file whose name has characters that nvcc's shell would interpret is copied; a line marker in the copy
    # has the name.
    local compiled=$2
    if [[ $2 == *[\`\$\\[:cntrl:]]* ]]; then
        compiled=$work/$1.${2##*.}
        printf '# 1 "%s"\n' "$(escaped "$2")" | cat - "$2" >"$compiled"
        [[ $2 != */* ]] || ln -s "$(realpath -- "${2%/*}")" "$work/$1.folder"
        compile+=("-I$work/$1.folder" -I.)
    fi
    case $2 in
    *.cu | *.cuh | *.h)
        compile+=(-x cu -lineinfo --expt-relaxed-constexpr --extended-lambda --no-compress -cudart none
            -gencode "$(target_of "$arch")" "${options[@]}")
        # The toolkit's small functions are inlined, too, so that each instruction belongs to one place of the
        # program.
        [ "$entry" != check ] ||
            compile+=(-Xcicc -O0 '-D__inline__=__inline__ __attribute__((always_inline))') ;;
    *.c) compile+=(-x c "${options[@]/#-std=*/-w}") ;;
    *) compile+=(-x c++ "${options[@]}") ;;
    esac
    local into=(-c -o "$text.o")
    [ ${#launches[@]} -eq 0 ] || into=(--ptx -o "$text.ptx")
    # _FORTIFY_SOURCE, which some compilers set by themselves, would call memcpy() by another name, which has no hook.
    into=(-U_FORTIFY_SOURCE -MD -MF "$text.d" -MT "$text.o" "${into[@]}" "$compiled")
    limited "$text.log" "${compile[@]}" "${into[@]}" || {
        grep -qF "not supported on .target 'sm_90'" "$text.log" &&
            compile=("${compile[@]/#"$(target_of 90)"/"$(target_of 90a)"}") && limited "$text.log" "${compile[@]}" "${into[@]}"
    } || {
        tell_messages "$text.log" "${compile[@]}" "$compiled"
        exit 2
    }
    [ ${#launches[@]} -eq 0 ] || take_ptx "$text.ptx"
    # list_sources() reads this: the file's headers, of which headers of the toolkit and of the system have
    # the flag 3
    local path included
    mapfile -t included < <(sed -E 's/\\$//; s/^[^:]*\.o *://; s/([^\\]) +/\1\n/g' "$text.d" |
        sed -E 's/^ +//; s/\\([ #])/\1/g; s/\$\$/$/g; /^$/d')
    realpath -m --relative-base="$PWD" -- "${included[@]}" | while IFS= read -r path; do
        case $path in
        "$toolkit_target"/*) printf '# 1 "%s" 1 3\n' "$toolkit${path#"$toolkit_target"}" ;;
        /usr/*) printf '# 1 "%s" 1 3\n' "$path" ;;
        *) printf '# 1 "%s"\n' "$path" ;;
        esac
    done >"$text.read.ii"
    [ "$entry" != check ] || ! grep -q '^# 1 ".*"$' "$text.read.ii" ||
        ! sed -n 's/^# 1 "\(.*\)"$/\1/p' "$text.read.ii" | xargs -d '\n' grep -qsF griddepcontrol.wait ||
        unordered_waits "${compile[@]}" "$compiled" >>"$work/unordered"
}

# Compiles all files, as many at a time as there are processors. Prints the messages in the order of the files, up to
# the first file that cannot be compiled, with whose status the check ends.
compile_files() { # -O1|-O3
    local number processors
    processors=$(nproc)
    for number in "${!files[@]}"; do
        [ "$number" -lt "$processors" ] || wait -n
        {
            (compile_file "$number" "${files[number]}" "$1")
            echo $? >"$work/$number.status"
        } 2>"$work/$number.messages" &
    done
    wait
    for number in "${!files[@]}"; do
        cat "$work/$number.messages" >&2
        [ "$(<"$work/$number.status")" -eq 0 ] || exit "$(<"$work/$number.status")"
    done
}

# Puts the PTX of a file without a main() beside the program that makes its launches (tools/check/ptx/launcher.c). For
# predictions, it adds the machine code, which says what lines cost and what registers a thread has, if ptxas is here.
take_ptx() { # FILE
    local compiler target=sm_90
    cp -- "$1" "$work/kernels.ptx" || exit 3
    [ "$entry" = predict ] && compiler=${nvcc-$("$here/scripts/find-nvcc" 2>/dev/null)} || return 0
    ! grep -q '^\.target sm_90a' "$work/kernels.ptx" || target=sm_90a
    "${compiler%/*}/ptxas" --generate-line-info -arch="$target" -o "$work/kernels.cubin" "$work/kernels.ptx" 2>/dev/null ||
        rm -f "$work/kernels.cubin"
}

# Prints FILE:LINE, without folders, of each asm statement that has griddepcontrol.wait and lacks "memory" among its
# clobbers. nvcc may move accesses across such a statement, but its PTX no longer shows that.
unordered_waits() { # NVCC'S COMMAND FOR THE FILE
    "$@" -E 2>/dev/null | awk '
        /^# [0-9]+ "/ { line = $2 - 1; name = $0; sub(/^# [0-9]+ "/, "", name); sub(/".*/, "", name); sub(/.*\//, "", name); next }
        { line++ }
        !statement && match($0, /asm[^"();]*\(/) { statement = name ":" line; text = ""; $0 = substr($0, RSTART) }
        statement {
            text = text $0
            if (text !~ /\) *;/) next
            if (text ~ /griddepcontrol\.wait/ && text !~ /"memory"/) print statement
            statement = ""
        }'
}

# Names the macros of -D that occur in no file of the program, because their names may be misspelt. The
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

# Writes to $work/sources which files a finding may name (tools/check/sources.h): the program's own, and headers of
# libraries with their names, as the preprocessor writes names: with a backslash before each quote and backslash. It
# leaves out the compiler's headers and the headers that replace CUDA's.
list_sources() {
    local number suite=$here/sync/
    [ -f "$here/Makefile" ] || suite=$here/../../include/gpusync/
    for number in "${!files[@]}"; do
        case ${files[number]} in
        *.ptx | *.o) # PTX names the files that it was made of
            grep -aoE '^[[:space:]]*\.file[[:space:]]+[0-9]+ "[^"]+"' -- "${files[number]}" | sed 's/^[^"]*/# 1 /' ;;
        esac
        printf '# 1 "%s"\n' "$(escaped "${files[number]}")"
        [ ! -f "$work/$number.read.ii" ] || cat "$work/$number.read.ii"
    done | awk -v machine="$here/machine/" -v work="$work/" -v suite="$suite" \
        -v toolkit="${toolkit-/usr/local/cuda/include}/" '
        function is_in(folder) { return index(path, folder) == 1 }
        /^# [0-9]+ "/ {
            path = $0; sub(/^# [0-9]+ "/, "", path)
            match(path, /^([^"\\]|\\.)*/); flags = substr(path, RLENGTH + 2); path = substr(path, 1, RLENGTH)
            if (path in told || path ~ /^<|\/$/ || is_in(machine) || is_in(work)) next
            told[path] = 1
            if (is_in(suite)) name = "gpusync/" substr(path, length(suite) + 1)
            else if (flags !~ / 3/) { print (path ~ /\.ptx$/ ? "ptx\t" : "own\t") path; next }
            else if (path ~ /\/c\+\+\/|\/lib\/gcc/) next
            else if (is_in(toolkit)) {
                name = substr(path, length(toolkit) + 1); sub(/^cccl\//, "", name)
                if (name !~ /^(cub|thrust|cuda|cooperative_groups)\//) next
            } else if (path ~ /^\/usr\//) next
            else name = path
            print "library\t" path "\t" name
        }' >"$work/sources"
}

# Writes to $work/told what is wrong with a program that cannot be linked. A library that comes compiled is named in one
# line, with the lines that call it. If only such libraries are missing, writes to $work/refused.cpp functions that
# refuse their calls with this line, because a program may never make them.
find_unlinked() { # LOG
    if grep -q "undefined reference to [\`']gpusync_checked_main'" "$1"; then
        bad "no main() in ${files[*]} (name all files of the program, or its launches by --launch)"
    fi
    awk -v file="${files[*]}" -v here="$PWD/" -v refused="$work/refused.cpp" '
        function tell(key, place, text, way) {
            if (!(key in told)) { order[++count] = key; told[key] = place ": " text; ways[key] = way }
            else if (!seen[key, place] && more[key]++ < 2) also[key] = also[key] ", " place
            else if (!seen[key, place]) rest[key]++
            seen[key, place] = 1
        }
        FILENAME == ARGV[1] {
            if (!/^(#|$)/) { prefix[++rows] = $1; sub(/^[^ ]* /, ""); library[rows] = $0 }
            next
        }
        match($0, /undefined reference to [`\x27][^`\x27]*|multiple definition of [`\x27][^`\x27]*/) {
            text = substr($0, RSTART, RLENGTH); symbol = text; sub(/.*[`\x27]/, "", symbol)
            place = $0; sub(/: (undefined|multiple).*/, "", place); sub(/^.*ld: /, "", place)
            if (place !~ /:[0-9]+$/) place = file
            if (index(place, here) == 1) place = substr(place, length(here) + 1)
            for (row = 1; row <= rows; row++)
                if (index(symbol, prefix[row]) == 1 && substr(symbol, length(prefix[row]) + 1, 1) ~ /[A-Z0-9_]/) break
            if (text ~ /^undefined/ && row <= rows) {
                if (!(symbol in key_of)) symbols[++symbol_count] = symbol
                key_of[symbol] = library[row]
                tell(library[row], place, library[row] " is a closed library, which the machine cannot run (" symbol ")",
                    "--skip-calls \x27" prefix[row] "*\x27 goes on without its calls")
            } else if (text ~ /^undefined/ && symbol ~ /^(cuda|cu)[A-Z]/)
                tell(symbol, place, symbol "() of CUDA is not there")
            else {
                sub(/[`]/, "\x27", text)
                tell(symbol, place, text "\x27")
            }
            others += text !~ /^undefined/ || row > rows
        }
        END {
            for (i = 1; i <= count && i <= 8; i++) {
                key = order[i]
                lines[key] = told[key] (also[key] ? "; also" substr(also[key], 2) : "") \
                    (rest[key] ? " and at " rest[key] " more line" (rest[key] > 1 ? "s" : "") : "") \
                    (ways[key] ? "; " ways[key] : "")
                print lines[key]
            }
            if (others || !count) exit
            print "extern \"C\" void machine_refuse_call(const char *why);" >refused
            for (i = 1; i <= symbol_count; i++) {
                why = lines[key_of[symbols[i]]]
                gsub(/[\\"]/, "\\\\&", why)
                printf "void refused_%d() __asm__(\"%s\");\nvoid refused_%d() { machine_refuse_call(\"%s\"); }\n", i,
                    symbols[i], i, why >refused
            }
        }' "$here/tools/check/libraries.txt" "$1" | c++filt >"$work/told"
}

# Makes functions for those calls of the program that --skip-calls names and no file of the program defines. They are
# weak, so that the machine's functions stand. The result is 0 as an integer and as a floating-point number.
make_skipped() {
    local pattern symbol name count=0
    local -A matched=()
    echo 'struct nothing { long integer; double number; };
        extern "C" void machine_skip_call(const char *name);
        #define SKIP(number, symbol, name) \
            __attribute__((weak)) nothing skipped_##number() __asm__(symbol); \
            nothing skipped_##number() { machine_skip_call(name); return {}; }' >"$work/skipped.cpp"
    while read -r symbol name; do
        for pattern in "${skipped[@]}"; do
            # shellcheck disable=SC2053  # a pattern
            if [[ $name == $pattern ]]; then
                matched[$pattern]=yes
                echo "SKIP($((count++)), \"$symbol\", \"$name\")" >>"$work/skipped.cpp"
                break
            fi
        done
    done < <(nm -A "$work"/*.o | awk '
        $(NF - 1) == "U" { wanted[$NF] = 1; next } { there[$NF] = 1 }
        END { for (name in wanted) if (!(name in there)) print name }' | sort >"$work/undefined"
        c++filt <"$work/undefined" | sed 's/(.*//' | paste "$work/undefined" -)
    for pattern in "${skipped[@]}"; do
        [ -n "${matched[$pattern]-}" ] ||
            echo "$tool: note: --skip-calls $pattern changes nothing: no call of the program that lacks a definition has such a name" >&2
    done
    "${cxx[@]}" -std=c++11 -w -c -o "$work/skipped.o" "$work/skipped.cpp" || exit 3
    objects+=("$work/skipped.o")
}

# Prints the options of the program's own libraries, without CUDA's libraries.
own_libraries() {
    local option
    for option in "${linked[@]}"; do
        if [[ $option != -l* ]] || ! awk -v name="${option#-l}" '
            !/^(#|$)/ && index(name, $1) == 1 { exit found = 1 } END { exit !(found || name ~ /^(cuda|nv)/) }
            ' "$here/tools/check/libraries.txt"; then
            printf '%s\n' "$option"
        fi
    done
}

# Compiles the files, and links them with build/machine/ENTRY.o. The main() of the entry runs the program; an entry
# without one leaves this to the files' own main(). Sets `program` to the path of the linked program.
make_program() { # ENTRY -O1|-O3
    local entry=$1 object=$build/machine/$1.o needed number
    for needed in "${files[@]}"; do
        # The PTX assembler refuses a source file's name with such a character.
        [[ $needed != *[\"$'\n']* ]] || bad "nvcc compiles no file whose name has a quote or a line's end: $needed"
        [ -f "$needed" ] || bad "no file $needed$([ "$tool" != gpusync-predict ] ||
            [ ! -f "$here/machine/presets/$needed.json" ] || echo "; --device $needed chooses that GPU")"
    done
    [ -f "$object" ] || cannot "not built: make check-tool"
    for needed in "${files[@]}"; do
        [[ $needed != *.ptx || ${#launches[@]} -gt 0 ]] ||
            bad "$needed says no launch; --launch 'KERNEL<<<GRID, BLOCK>>>(ARGUMENT, ...)' does"
        [ ${#launches[@]} -eq 0 ] || [[ ${#files[@]} -eq 1 && $needed != *.o ]] || bad "--launch is for one file of CUDA or PTX, and here are ${files[*]}"
    done
    local compiled=0
    for needed in "${files[@]}"; do case $needed in *.ptx | *.o) ;; *) compiled=1 ;; esac; done
    if [ $compiled -eq 1 ] && ! nvcc=$("$here/scripts/find-nvcc" 2>&1); then
        cannot "${nvcc:-nvcc is needed to compile the program (a .ptx file with --launch needs none), and there is none: scripts/find-nvcc searches NVCC, CUDA_HOME, PATH, CUDA_PATH, /usr/local/cuda* and the packages of pip}"
    fi
    [ -z "${nvcc-}" ] || toolkit=$(dirname -- "$(dirname -- "$nvcc")")/include toolkit_target=$(realpath "$toolkit")
    for needed in "${cxx[0]}" objcopy; do
        [[ $compiled -eq 0 && ${#launches[@]} -gt 0 ]] || command -v "$needed" >/dev/null ||
            cannot "there is no $needed here; Debian's packages g++ and binutils bring what is needed"
    done
    make_work
    program=$work/program
    if [ ${#launches[@]} -gt 0 ]; then
        [ ${#skipped[@]} -eq 0 ] || bad "--skip-calls does not go with --launch, which runs no code of a host"
        compile_file 0 "${files[0]}" "$2"
        ! compgen -G "$work/*.read.ii" >/dev/null || tell_unused_macros
        cp -- "$build/machine/launches/$entry" "$program" || exit 3
        return
    fi
    # nvcc would have the assembler of GPUs link the files. The machine does it, when each file announces its PTX.
    local objects=() renamed=(--redefine-sym main=gpusync_checked_main) name
    # A program that ends by _exit() must leave a record, too.
    [ "$entry" != check ] || renamed+=(--redefine-sym _exit=machine_checked_exit
        --redefine-sym _Exit=machine_checked_Exit --redefine-sym quick_exit=machine_checked_quick_exit)
    [ "$entry" != check ] || renamed+=(--redefine-sym memcpy=machine_memcpy
        --redefine-sym memmove=machine_memmove --redefine-sym memset=machine_memset)
    compile_files "$2"
    for number in "${!files[@]}"; do
        objects+=("$work/$number.o")
        local of_file=()
        [ "$entry" = barrier ] || of_file=("${renamed[@]}")
        while read -r name; do
            of_file+=(--redefine-sym "$name=machine_register_linked")
        done < <(nm -u "$work/$number.o" | sed -n 's/.* \(__cudaRegisterLinkedBinary_.*\)/\1/p')
        [ ${#of_file[@]} -eq 0 ] || objcopy "${of_file[@]}" "$work/$number.o" || exit 3
    done
    ! compgen -G "$work/*.read.ii" >/dev/null || tell_unused_macros
    [ ${#skipped[@]} -eq 0 ] || make_skipped
    # shellcheck disable=SC2206  # several libraries in one variable
    local libraries=(${CJSON_LIBS--lcjson} ${Z_LIBS--lz} -lm -pthread)
    # A wheel brings these libraries (scripts/package/wheel).
    [ ! -d "$build/lib" ] ||
        libraries=("$build"/lib/*.so* -Xlinker -rpath -Xlinker "$build/lib" -lm -pthread)
    ! grep -qs '/omp\.h\b' "$work"/*.d || libraries+=(-lgomp)
    mapfile -t -O "${#libraries[@]}" libraries < <(own_libraries)
    # LINKED_WITH has the options of the sanitizers with which ENTRY.o was compiled (make test-sanitized).
    # shellcheck disable=SC2206  # several options in one variable
    local link=("${cxx[@]}" ${LINKED_WITH-} -Wl,--no-demangle -o "$program" "$object" "${objects[@]}" "${libraries[@]}")
    # The linker gold takes half the time, but does not find a library if a broken link of the same name comes
    # first.
    if command -v ld.gold >/dev/null && LC_ALL=C "${link[@]}" -fuse-ld=gold 2>/dev/null; then return; fi
    if LC_ALL=C "${link[@]}" 2>"$work/link.log"; then return; fi
    find_unlinked "$work/link.log"
    if [ -f "$work/refused.cpp" ] && "${cxx[@]}" -c -o "$work/refused.o" "$work/refused.cpp" &&
        LC_ALL=C "${link[@]}" "$work/refused.o"; then return; fi
    if [ -s "$work/told" ]; then cat "$work/told" >&2; else cat "$work/link.log" >&2; fi
    exit 2
}

# Runs the linked program as if it ran alone: with this script's own environment, without the variables that bash adds,
# and with the name of its first file. The tool's options are beside it (tools/check/checked_program.c).
run_program() { # ARGUMENT OF THE PROGRAM...
    local name=${files[0]##*/} environment
    [ ${#launches[@]} -eq 0 ] || set -- "${launches[@]}"
    printf '%s\0' "./${name%.*}" "$tool" "${tool_options[@]}" >"$work/options.$BASHPID"
    mv -- "$work/options.$BASHPID" "$work/options" # several may run at once, with the same options
    mapfile -d '' -t environment < <(grep -az = "/proc/$$/environ")
    # With huge pages a run that fills large arrays takes a fraction of the system's time. The program does not see the
    # variable, which tools/check/checked_program.c takes away.
    [ -n "${GLIBC_TUNABLES+set}" ] || environment+=(GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
    # nice stands between env and the program because env would take a program's name with = for a variable.
    env -i -- "${environment[@]}" nice -n 0 "$program" "$@"
}
