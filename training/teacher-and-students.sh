#!/usr/bin/env bash
# Trains a teacher and students within a time budget, for a graphics card that is available only for a while. It exports the
# samples, trains the teacher, distils the students from it, and measures them on human games.
#
#     training/teacher-and-students.sh --seconds 1500 --out OUT --malecon target/release/malecon --games 'a.jsonl b.jsonl' \
#         [--human games.jsonl] [--teacher teacher.pt] [--students '3x32 6x32 4x64'] [--teacher-config 10x128]
#
# With --teacher, the teacher of an earlier run is used, and the students get its share of the time. Games may be compressed
# with xz. OUT gets teacher.pt, a .bin file for each student, a .txt file with its figures, and log.txt. Files that exist
# are kept, so an interrupted run can be continued.
set -euo pipefail

seconds=1500 out='' malecon=target/release/malecon games='' human='' teacher='' students='3x32 6x32 4x64'
teacher_config=10x128 threads=$(nproc) python=${PYTHON:-python3}
while (($#)); do
    case $1 in
        --seconds) seconds=$2 ;;
        --out) out=$2 ;;
        --malecon) malecon=$2 ;;
        --games) games=$2 ;;
        --human) human=$2 ;;
        --teacher) teacher=$2 ;;
        --students) students=$2 ;;
        --teacher-config) teacher_config=$2 ;;
        *)
            echo "unknown option $1 (see the head of $0)" >&2
            exit 2
            ;;
    esac
    shift 2
done
if [[ -z $out || -z $games ]]; then
    echo "--out and --games are needed (see the head of $0)" >&2
    exit 2
fi
mkdir -p "$out"
malecon=$(realpath "$malecon")
export PYTHONPATH=$(dirname "$(realpath "$0")") PYTHONUNBUFFERED=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log() { printf '== %4d s: %s\n' "$SECONDS" "$*" | tee -a "$out/log.txt" >&2; }
# A percentage of the time that is left, in seconds, but at least five.
share() {
    local part=$(((seconds - SECONDS) * $1 / 100))
    echo $((part > 5 ? part : 5))
}
train() { "$python" -m malecon_training --samples "$scratch/samples" "$@" 2>&1 | tee -a "$out/log.txt"; }

log "plain copies of the games"
plain=()
for file in $games; do
    if [[ $file == *.xz ]]; then
        xz -dc "$file" > "$scratch/$(basename "$file" .xz)"
        file=$scratch/$(basename "$file" .xz)
    fi
    plain+=("$file")
done

log "samples"
"$malecon" learn export --games "${plain[@]}" --out "$scratch/samples" --threads "$threads" 2>&1 | tee -a "$out/log.txt"

# A batch of 1,024 keeps a graphics card busy; a processor has no use for it.
batch=128
if "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    batch=1024
fi

if [[ -z $teacher ]]; then
    teacher=$out/teacher.pt
    if [[ ! -f $teacher ]]; then
        log "teacher $teacher_config"
        train --config "$teacher_config" --checkpoint "$teacher" --seconds "$(share 45)" --steps 1000000 --batch "$batch" \
            --rate 0.001
    fi
fi

# The students share the time that is left, but for a part to measure them in.
left=$(wc -w <<< "$students")
for student in $students; do
    file=$out/$student.bin
    if [[ ! -f $file ]]; then
        log "student $student"
        train --config "$student" --teacher "$teacher" --out "$file" --checkpoint "$out/$student.pt" \
            --seconds "$(share $((90 / left)))" --steps 1000000 --batch "$batch" --rate 0.003
    fi
    left=$((left - 1))
done

if [[ -n $human ]]; then
    for student in $students; do
        log "figures of $student"
        "$malecon" learn test --games "$human" --only quarters --threads "$threads" --network "$out/$student.bin" \
            > "$out/$student.txt"
        tail -n 4 "$out/$student.txt" >&2
    done
fi
log "done"
