# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A Slurm of a test's own on this machine: munged, slurmctld and three slurmd, all
# of it below one folder, without accounting. Sourced; needs $cluster, an empty
# folder. As root, with Debian's slurm-wlm and munge; a Slurm that is there already
# is not touched (other ports, sockets and files).

# Why there can be none; empty: there can.
cluster_lacks() {
    for program in munged slurmctld slurmd sbatch squeue scontrol; do
        PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || {
            echo "there is no $program (Debian: slurm-wlm, munge)"
            return
        }
    done
    [ "$(id -u)" -eq 0 ] || echo "daemons of Slurm need root here"
}

cluster_begin() {
    : "${cluster:?}"
    PATH=$PATH:/usr/sbin
    host=$(hostname -s)
    port=$((20000 + $$ % 20000))
    dd if=/dev/urandom of="$cluster/munge.key" bs=1 count=1024 2>/dev/null
    chmod 400 "$cluster/munge.key"
    mkdir "$cluster/state"
    # Credentials of a task that is queued again expire first: 120 s otherwise.
    cat >"$cluster/slurm.conf" <<END
ClusterName=hone
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$cluster/munge.sock,cred_expire=5
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldTimeout=20
SlurmdTimeout=6
KillWait=2
MessageTimeout=10
SchedulerParameters=sched_min_interval=500000,batch_sched_delay=1
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1 RealMemory=100
PartitionName=low Nodes=n[1-3] Default=YES PriorityTier=1 PreemptMode=REQUEUE
PartitionName=high Nodes=n[1-3] PriorityTier=10 PreemptMode=OFF
END
    # What the test starts and its jobs have in their environment.
    SLURM_CONF=$cluster/slurm.conf
    export SLURM_CONF
    munged --force --key-file="$cluster/munge.key" \
        --socket="$cluster/munge.sock" --pid-file="$cluster/munged.pid" \
        --log-file="$cluster/munged.log" --seed-file="$cluster/munge.seed" \
        >/dev/null 2>&1
    cluster_control -c
    for node in n1 n2 n3; do
        mkdir "$cluster/spool-$node"
        cluster_node "$node"
    done
    cluster_until "three idle nodes" cluster_idle 3
}
cluster_control() { slurmctld "$@" >/dev/null 2>&1; }
cluster_node() { slurmd -N "$1" >/dev/null 2>&1; }
cluster_idle() {
    [ "$(sinfo -h -N -p low -t idle,mix,alloc 2>/dev/null | wc -l)" -ge "$1" ]
}
cluster_until() { # cluster_until WHAT COMMAND..: within a minute
    what=$1
    shift
    limit=$(($(date +%s) + 60))
    until "$@"; do
        if [ "$(date +%s)" -ge "$limit" ]; then
            echo "after a minute not yet: $what"
            tail -n 20 "$cluster"/*.log
            return 1
        fi
        sleep 0.3
    done
}

# has_in_environment FOLDER PATTERN; processes come and go.
has_in_environment() {
    # shellcheck disable=SC2002 # what cat cannot open is no error
    cat "$1/environ" 2>/dev/null | tr '\0' '\n' | grep -qx "$2"
}
# Processes of jobs of this cluster, on NODE or on all.
cluster_processes() {
    for process in /proc/[0-9]*; do
        [ "${process#/proc/}" != "$$" ] || continue
        has_in_environment "$process" "SLURMD_NODENAME=${1:-n[123]}" || continue
        has_in_environment "$process" "SLURM_CONF=$cluster/slurm.conf" || continue
        echo "${process#/proc/}"
    done
}
# The node is gone: its daemon, those that watch its tasks (which would report their
# death), and all that ran there, without a word.
cluster_lose() {
    [ -s "$cluster/slurmd-$1.pid" ] || return 1 # it is about to begin
    kill -9 "$(cat "$cluster/slurmd-$1.pid")"
    there=$(cluster_processes "$1")
    for process in $there; do
        parent=$(awk '/^PPid:/ { print $2 }' "/proc/$process/status" \
            2>/dev/null) || continue
        grep -q slurmstepd "/proc/${parent:-0}/comm" 2>/dev/null || continue
        kill -9 "$parent" 2>/dev/null || true
    done
    for process in $there; do
        kill -9 "$process" 2>/dev/null || true
    done
    rm -f "$cluster/slurmd-$1.pid"
}
cluster_end() {
    for file in "$cluster"/slurmctld.pid "$cluster"/slurmd-*.pid; do
        [ ! -s "$file" ] || kill -9 "$(cat "$file")" 2>/dev/null || true
    done
    for process in $(cluster_processes); do
        kill -9 "$process" 2>/dev/null || true
    done
    [ ! -s "$cluster/munged.pid" ] ||
        kill "$(cat "$cluster/munged.pid")" 2>/dev/null || true
}
