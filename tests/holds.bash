# Judges the sentences of a test and counts them. A test script that sources this file goes on in the top folder.
#
#     holds SENTENCE COMMAND...      the sentence holds if the command succeeds
#     row SENTENCE STATUS PATTERN COMMAND...   the sentence holds if the command ends with STATUS and its stderr (its
#                                    stdout, if stderr is empty) matches PATTERN
#     one_line                       judges that the message of the last row is one line
#     refused ...                    a row, and one_line
#     rows COMMAND...                reads rows "STATUS | PATTERN | WORDS": the command with these words, which the shell
#                                    expands, ends with STATUS and says PATTERN as in row; a refusal (2, 3) in one line
#     both COMMAND...                runs it with its stderr in its stdout
#     judge SENTENCE STATUS [FILE]   the sentence holds if STATUS is 0; otherwise the end of FILE is shown
#     drawn N WORD                   succeeds for about one in N words; the commit decides for which. With FULL in the
#                                    environment (make test FULL=1) it succeeds for every word.
#     program PATH [TEXT]            makes a script of bash, by default one that does nothing
#     journal_of FILE FILTER         puts in place of a result the journal that an interruption would have left, with the
#                                    points that the filter of jq prints
#     finish                         prints the counts; the status is 1 if a sentence failed. It is the last command.
#
# $scratch is a folder that is removed at the end. With TESTS_STOP in the environment a test ends at its first
# failure, which is enough to kill a planted mistake.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 3
# A locale that is not installed would make each bash print a warning, which would count as output of a program.
export LC_ALL=C
passed=0 failed=0
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
holds() {
    "${@:2}" >"$scratch/.said" 2>&1
    judge "$1" $? "$scratch/.said"
}
judge() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1)) && echo "ok      $1"
    else
        failed=$((failed + 1)) && echo "FAILED  $1: $(tail -n "${shown_lines:-6}" "${3:-/dev/null}" | head -c 2000)"
        [ -z "${TESTS_STOP:-}" ] || exit 1
    fi
}
drawn() {
    [ -z "${FULL-}" ] || return 0
    draw_seed=${draw_seed-$(git rev-parse HEAD 2>/dev/null || cat VERSION)}
    [ $(($(cksum <<<"$draw_seed $2" | cut -d ' ' -f 1) % $1)) -eq 0 ]
}
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
row() {
    local status
    "${@:4}" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ -s "$scratch/err" ] || cp "$scratch/out" "$scratch/err"
    { echo "status $status, said:" && cat "$scratch/err"; } >"$scratch/.said"
    [ "$status" -eq "$2" ] && { [ -z "$3" ] || grep -qE -- "$3" "$scratch/err"; }
    judge "$1" $? "$scratch/.said"
}
one_line() {
    holds "the message is one line" test "$(wc -l <"$scratch/err")" -eq 1
}
both() { "$@" 2>&1; }
refused() {
    row "$@"
    one_line
}
rows() {
    local line words
    while IFS= read -r line <&3; do
        eval "words=(${line##* | })"
        line=${line% | *}
        row "${*##*/} ${words[*]}: ${line#* | }" "${line%% | *}" "${line#* | }" "$@" "${words[@]}"
        [[ $line != [23]\ * ]] || one_line
    done 3<&0 </dev/null
}
program() {
    mkdir -p "${1%/*}" && printf '#!/bin/bash\n%s\n' "${2-}" >"$1" && chmod +x "$1"
}
journal_of() {
    { jq -c 'del(.command, .created, .skipped, .analysis, .points)' "$1" && jq -c "$2" "$1"; } >"$1.partial"
    rm "$1"
}

# Prints the description of an H100 for tests of answers. The machine runs faster with few multiprocessors and if it
# counts no instructions.
fast_h100() {
    jq '.constants |= (.instruction_time.value = 0 | .long_instruction_time.value = 0 | .loads_under_way.value = 1 | .sm_count.value = 12)' \
        machine/presets/h100.json
}
