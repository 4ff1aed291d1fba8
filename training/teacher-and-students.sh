#!/usr/bin/env bash
# Trains a teacher and students within a time budget, for a graphics card that is available only for a while. It exports
# the samples, trains the teacher, distils the students from it, and measures them on human games.
#
#     training/teacher-and-students.sh --seconds 1500 --out OUT --malecon target/release/malecon \
#         --games 'a.jsonl b.jsonl' [--human games.jsonl] [--teacher teacher.pt] [--students '3x32 6x32 4x64'] \
#         [--teacher-config 10x128]
#
# PYTHON names the Python that has PyTorch, if it is not python3.
#
# With --teacher, the teacher of an earlier run is used, and the students get its share of the time. Games may be
# compressed with xz. OUT gets teacher.pt, a .bin file for each student, a .txt file with its figures, and log.txt. The
# first three appear when they are complete, and those that exist are kept, so an interrupted run can be continued.
#
# The budget is for everything, from the start of the script. What a training needs besides its steps (its start, the
# choice of threads, the last test, the figures on human games) is taken to last as long as it did for the training
# before. Each training has at least five seconds for its steps. So a budget of few minutes may be exceeded.
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
if [[ -n $teacher && ! -f $teacher ]]; then
    echo "there is no teacher $teacher" >&2
    exit 2
fi
mkdir -p "$out"
malecon=$(realpath "$malecon")
export PYTHONPATH=$(dirname "$(realpath "$0")") PYTHONUNBUFFERED=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log() { printf '== %4d s: %s\n' "$SECONDS" "$*" | tee -a "$out/log.txt" >&2; }
# What the last training took besides its steps, in seconds.
besides=0
# The seconds of steps of a training that may take this percentage of the time that is left.
share() {
    local part=$(((seconds - SECONDS) * $1 / 100 - besides))
    echo $((part > 5 ? part : 5))
}
train() { "$python" -m malecon_training --samples "$scratch/samples" "$@" 2>&1 | tee -a "$out/log.txt"; }

log "plain copies of the games"
plain=()
for file in $games; do
    if [[ $file == *.xz ]]; then
        # Files of several folders may have the same name.
        copy=$scratch/${#plain[@]}-$(basename "$file" .xz)
        xz -dc "$file" > "$copy"
        file=$copy
    fi
    plain+=("$file")
done

log "samples"
"$malecon" learn export --games "${plain[@]}" --out "$scratch/samples" --threads "$threads" 2>&1 | tee -a "$out/log.txt"

# A batch of 1,024 keeps a graphics card busy; a processor has no use for it.
batch=128
began=$SECONDS
if "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    batch=1024
fi
# A training has to load PyTorch as well. The first one shows what else there is.
besides=$((SECONDS - began))

if [[ -z $teacher ]]; then
    teacher=$out/teacher.pt
    if [[ ! -f $teacher ]]; then
        log "teacher $teacher_config"
        began=$SECONDS steps=$(share 45)
        # The trainer writes the checkpoint during the training, too.
        train --config "$teacher_config" --checkpoint "$out/teacher-unfinished.pt" --seconds "$steps" --steps 1000000 \
            --batch "$batch" --rate 0.001
        mv "$out/teacher-unfinished.pt" "$teacher"
        besides=$((SECONDS - began - steps))
    fi
fi

# The students share the time that is left. A tenth is kept for what takes longer than it did before.
left=$(wc -w <<< "$students")
for student in $students; do
    file=$out/$student.bin figures=$out/$student.txt began=$SECONDS steps=0
    if [[ ! -f $file ]]; then
        log "student $student"
        steps=$(share $((90 / left)))
        # The trainer writes the network when the training is over.
        train --config "$student" --teacher "$teacher" --out "$file" --checkpoint "$out/$student.pt" \
            --seconds "$steps" --steps 1000000 --batch "$batch" --rate 0.003
    fi
    if [[ -n $human && ! -f $figures ]]; then
        log "figures of $student"
        "$malecon" learn test --games "$human" --only quarters --threads "$threads" --network "$file" > "$figures.new"
        mv "$figures.new" "$figures"
        tail -n 4 "$figures" >&2
    fi
    if ((steps > 0)); then
        besides=$((SECONDS - began - steps))
    fi
    left=$((left - 1))
done
log "done"
