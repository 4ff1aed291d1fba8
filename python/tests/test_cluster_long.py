"""What takes minutes of solving with many workers: kills at random times, and Slurm. `.ci/nightly` runs these tests."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from distributed import Client
from processes import children_of, is_alive, workers_of
from test_cluster import command

import malecon
from malecon.cluster import DaskPool, solve
from malecon.cluster.jobs import SolveRequest

pytestmark = pytest.mark.nightly

PATIENCE = 60.0
"""Seconds within which something must have happened."""


def openings(first: str) -> list[str]:
    """All positions of side 4 after a stone of White and one of Black, up to symmetry, as two moves."""
    found = {}
    for second in malecon.Position(4).legal_moves:
        if second != first:
            found.setdefault(malecon.Position(4, moves=[first, second]).key(symmetric=True), f"{first} {second}")
    return list(found.values())


def wait_until(happened, what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Killer:
    """Runs a command of the cluster again and again, and kills what it finds."""

    def __init__(self, line: list[str], journal: Path, seed: int) -> None:
        self.kills = {"worker": 0, "command": 0}
        self._line, self._journal = line, journal
        self._random = random.Random(seed)

    def results(self) -> list[bytes]:
        """The lines of the journal that are complete."""
        content = self._journal.read_bytes() if self._journal.exists() else b""
        return content.splitlines(keepends=True)[: content.count(b"\n")]

    def run(self) -> str:
        """Kills workers and the command until the command ends, and returns what it has printed."""
        while True:
            known = self.results()
            with subprocess.Popen(self._line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                for _ in range(self._random.randrange(3)):
                    self._kill(process, "worker")
                started = self._kill(process, "command")
                output, errors = process.communicate()
            assert self.results()[: len(known)] == known, "what was known is still there"
            assert process.returncode in (0, -signal.SIGKILL), errors
            if process.returncode == 0:
                return output
            wait_until(lambda: not any(map(is_alive, started)), "processes outlive the command")

    def _kill(self, process: subprocess.Popen, victim: str) -> list[int]:
        """Waits for some results and a random moment, and kills the command or its workers, unless it has ended. Returns
        the processes that it had started."""
        wanted = len(self.results()) + self._random.randint(1, 2)
        while process.poll() is None and len(self.results()) < wanted:
            time.sleep(0.01)
        wait_until(lambda: process.poll() is not None or workers_of(process.pid), "no worker starts")
        time.sleep(self._random.uniform(0, 0.75))
        started = children_of(process.pid)
        if victim == "worker":
            victims = workers_of(process.pid)
        else:
            victims = [process.pid] if process.poll() is None else []
        for killed in victims:
            with suppress(ProcessLookupError):
                os.kill(killed, signal.SIGKILL)
                self.kills[victim] += 1
        return started


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes as on Linux")
def test_nothing_is_lost_in_twenty_kills(tmp_path):
    positions = openings("b2") + openings("d4")[1:]
    asked = tmp_path / "positions.jsonl"
    asked.write_text("".join(json.dumps({"side": 4, "moves": moves.split()}) + "\n" for moves in positions))
    folder, proof = tmp_path / "work", tmp_path / "all.proof"
    line = command("solve", "--positions", asked, "--folder", folder, "--proof", proof, "--workers", 2)
    line += ["--memory", "256", "--first-nodes", "100000"]
    killer = Killer(line, folder / "journal.jsonl", seed=5)
    results = [json.loads(result) for result in killer.run().splitlines()]
    print(killer.kills, len(killer.results()), "results")
    assert killer.kills["worker"] >= 10 and killer.kills["command"] >= 10, killer.kills
    assert [(" ".join(result["moves"]), result["value"]) for result in results] == [(p, "white") for p in positions]
    claims = malecon.check_proof(proof).claims
    assert [winner for _, winner in claims] == ["white"] * len(positions)
    keys = [position.key(symmetric=True) for position, _ in claims]
    assert keys == [malecon.Position(4, moves=moves).key(symmetric=True) for moves in positions]


SLURM = """\
ClusterName=malecon
SlurmctldHost=localhost
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MailProg=/bin/true
NodeName=localhost CPUs=2 RealMemory=2000
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE
"""
"""A cluster of this machine alone, without cgroups and systemd, which containers lack."""


@contextmanager
def slurm(folder: Path) -> Iterator[None]:
    """A Slurm on this machine, for whoever has the environment of this process."""
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(SLURM.format(folder=folder))
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    files = [f"--{name}={folder / file}" for name, file in [("key-file", "munge.key"), ("socket", "munge.socket")]]
    files += [f"--{name}={folder / file}" for name, file in [("pid-file", "munge.pid"), ("seed-file", "munge.seed")]]
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    with ExitStack() as services, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", environment["SLURM_CONF"])
        for service in (
            ["munged", "--foreground", "--force", f"--log-file={folder}/munge.log", *files],
            ["slurmctld", "-D", "-L", folder / "slurmctld.log"],
            ["slurmd", "-D", "-N", "localhost", "-L", folder / "slurmd.log"],
        ):
            process = services.enter_context(subprocess.Popen(service, env=environment, stderr=subprocess.DEVNULL))
            services.callback(process.terminate)
            if service[0] == "munged":
                wait_until((folder / "munge.socket").exists, "munged does not start")
        wait_until(lambda: "idle" in states(), "the node of Slurm does not start")
        yield


def states() -> str:
    """The states of the nodes of Slurm."""
    return subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False).stdout


def queue() -> list[str]:
    """The states of the jobs of Slurm."""
    listed = subprocess.run(["squeue", "--noheader", "--format=%T"], capture_output=True, text=True, check=True)
    return listed.stdout.split()


class ObservedPool(DaskPool):
    """Workers of which it is known which had work."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.used: set[str] = set()

    def begin(self, worker: str, request: SolveRequest) -> None:
        self.used.add(worker)
        super().begin(worker, request)


@pytest.mark.skipif(shutil.which("slurmctld") is None or os.geteuid() != 0, reason="needs Slurm and root")
def test_workers_of_slurm(tmp_path, monkeypatch):
    # It takes Ctrl-C from the whole process when it is imported.
    from dask_jobqueue import SLURMCluster

    monkeypatch.chdir(tmp_path)
    (tmp_path / "slurm").mkdir()
    positions = [malecon.Position(4, moves=moves) for moves in ("a1 b2", "a2 e2", "b2 c3")]
    with slurm(tmp_path / "slurm"):
        with (
            SLURMCluster(
                cores=1,
                processes=1,
                memory="900MB",
                walltime="00:30:00",
                interface="lo",
                python=sys.executable,
                worker_extra_args=["--memory-limit", "0"],
            ) as cluster,
            Client(cluster) as client,
        ):
            cluster.scale(2)
            client.wait_for_workers(2, timeout=PATIENCE)
            assert queue() == ["RUNNING", "RUNNING"]
            pool, proof = ObservedPool(client), tmp_path / "all.proof"
            asked = [(position, "white") for position in positions]
            results = solve(pool, asked, tmp_path / "work", memory=256, proof=proof)
        wait_until(lambda: queue() == [], "the jobs of Slurm do not end")
    assert [result.wins for result in results] == [True, True, True]
    assert len(malecon.check_proof(proof).claims) == 3
    assert len(pool.used) == 2
