# The tests in tests/algorithms/ share these functions and source this file. Each test runs alone:
#
#     tests/algorithms/NAME [machine|gpu]
set -u
cd "$(dirname "$0")/../.." || exit 1
kind=${1:-machine}
# shellcheck source=tests/holds.bash
. tests/holds.bash

# Whether every measured point was verified. The loop without barriers may be wrong, and on a GPU unordered
# barriers may.
all_verified() { # PROGRAM OPTION...
    "build/$kind/$1" "${@:2}" --json "$scratch/v.json" --force --quiet || return 1
    jq -e --arg kind "$kind" '[.points[] | select((.variant | IN("none", "none-cold") | not) and (.ordered or $kind == "machine") and .verified == false)]
        | length == 0' "$scratch/v.json"
}

schedules=(round-robin random adversarial)
# These tests judge answers and not times.
fast_h100 >"$scratch/h100.json"
device=(--device "$scratch/h100.json")
# On the machine each case runs under one of three schedules, in turn, because all three would take three
# times as long. A GPU has its own schedule.
cases=0
next_schedule() { # sets `how` and `schedule`
    how=("${device[@]}" --runs 1)
    schedule=${schedules[cases++ % ${#schedules[@]}]}
    [ "$kind" = gpu ] || how+=(--schedule "$schedule" --seed 31)
}
[ "$kind" = gpu ] && schedules=(gpu) && device=()
one=("${device[@]}" --variant counter --blocks 5 --threads 96 --quiet --runs 1)
# Runs a program for its answers, which the caller judges. A failure of the program's own verification counts,
# too.
answer() { # PROGRAM OPTION...
    build/"$kind"/"$1" "${one[@]}" "${@:2}" >"$scratch/said" 2>&1 && return
    judge "$1 ends with 0" $? "$scratch/said"
}
near() { # TOLERANCE ANSWERS EXPECTED
    paste "$2" "$3" | awk -v tolerance="$1" '{ d = $1 - $2; if (NF != 2 || $1 !~ /^-?[0-9]/ || d > tolerance || d < -tolerance) wrong++ }
        END { print NR " answers, " wrong + 0 " wrong"; exit !NR || wrong > 0 }'
}
likelihoods() { # SENTENCE VARIANT PRECISION TOLERANCE INPUT EXPECTED
    rm -f "$scratch/likelihoods"
    # The program itself compares with its sequential reference.
    holds "$1, and its reference agrees" build/"$kind"/pairhmm "${device[@]}" --quiet --runs 1 --variant "$2" --precision "$3" \
        --input "$5" --force --output "$scratch/likelihoods"
    holds "$1" near "$4" "$scratch/likelihoods" "$6"
}
data=../shared/data/third-party # real sequences; this folder does not belong to the repository

sequences() { # ALPHABET LENGTH...
    awk -v alphabet="$1" -v lengths="${*:2}" 'BEGIN {
        srand(length(lengths)); count = split(lengths, n, " ")
        for (k = 1; k <= count; k++) {
            print ">s" k " sequence of " n[k]
            line = ""
            for (i = 0; i < n[k]; i++) {
                # The sequences are related: mostly all of them have the same letter at one place.
                common = (i * 7 + int(i / 5) * 3) % length(alphabet)
                at = rand() < 0.7 ? common : int(rand() * length(alphabet))
                line = line substr(alphabet, at + 1, 1)
                if (length(line) == 60) { print line; line = "" }
            }
            if (line != "") print line
        }
    }'
}
