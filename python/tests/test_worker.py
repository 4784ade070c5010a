"""The worker: threads, processes, interruptions, and what happens when it dies."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mdpsolve
from mdpsolve import _command, _worker

N = 12


def model(seed):
    rng = np.random.default_rng(seed)
    P = rng.random((2, N, N))
    return P / P.sum(axis=2, keepdims=True), rng.random((N, 2))


def right(P, R, discount=0.9):
    """The value of the best policy, by plain value iteration."""
    value = np.zeros(N)
    for _ in range(600):
        value = (R + discount * np.einsum("ast,t->sa", P, value)).max(axis=1)
    return value


def is_right(seed):
    P, R = model(seed)
    np.testing.assert_allclose(mdpsolve.solve(P, R, discount=0.9).value, right(P, R), rtol=1e-8)
    return os.getpid(), _worker.current.process.pid


def test_one_worker_answers_all():
    assert len({is_right(seed) for seed in range(30)}) == 1


def test_threads():
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(is_right, range(80)))) == 1


@pytest.mark.parametrize("how", multiprocessing.get_all_start_methods())
def test_processes_have_workers_of_their_own(how):
    own = is_right(0)
    with multiprocessing.get_context(how).Pool(2) as pool:
        found = {*pool.map(is_right, range(1, 13), chunksize=1)}
    assert len({worker for _, worker in found}) == len({process for process, _ in found}) == len(found)
    assert own not in found
    assert is_right(13) == own


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_while_a_question_is_answered():
    P, R = model(0)
    slow = threading.Thread(target=mdpsolve.solve, args=slow_question()[:2], kwargs=slow_question()[2])
    slow.start()
    time.sleep(0.1)
    child = os.fork()
    if child == 0:
        try:
            np.testing.assert_allclose(mdpsolve.solve(P, R, discount=0.9).value, right(P, R), rtol=1e-8)
            _worker.end()
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    slow.join()


def slow_question(limit=1.0):
    """A question that takes that many seconds."""
    n = 2000
    step = np.zeros((2, n, n))
    i = np.arange(n)
    for a, to in enumerate((-1, 1)):
        step[a, i, i] = 0.5
        step[a, i, (i + to) % n] = 0.5
    R = np.random.default_rng(2).random((n, 2))
    return step, R, {"discount": "0.99999", "method": "value-iteration", "time_limit": limit}


@pytest.fixture
def interruptible():
    """Interruptions are KeyboardInterrupt, also in a program that a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ten_interruptions(interruptible):
    P, R, options = slow_question(60)
    model = mdpsolve.Model.of(P, R, "max")  # so that the signal comes while the worker solves
    for _ in range(10):
        # To the thread that waits, as the terminal does: a signal to another one is seen when the answer is there.
        timer = threading.Timer(0.3, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            mdpsolve.solve(model, **options)
        assert time.monotonic() - begin < 20  # of a busy machine
        is_right(3)


def test_a_worker_that_is_killed_between_questions():
    for seed in range(10):
        is_right(seed)
        _worker.current.process.kill()
        is_right(seed + 1)


def test_a_worker_that_is_killed_while_it_answers():
    for _ in range(10):
        is_right(4)
        first = _worker.current.process
        threading.Timer(0.05, first.kill).start()
        P, R, options = slow_question(0.4)
        assert mdpsolve.solve(P, R, **options).status == "time-limit"
        assert _worker.current.process.pid != first.pid


def test_memory_that_is_not_kept(monkeypatch):
    _worker.end()
    monkeypatch.setattr(_worker, "MUCH", 0)
    monkeypatch.setattr(_worker, "IDLE", 0.01)
    for seed in range(3):
        is_right(seed)
        is_right(seed)
        for _ in range(1000 * (_worker.current.memory is not None)):
            if (size := os.fstat(_worker.current.memory).st_size) == 0:
                break
            time.sleep(0.01)
        assert _worker.current.memory is None or size == 0


def test_models_in_files_where_memory_is_not_inherited(monkeypatch):
    _worker.end()
    monkeypatch.setattr(_worker, "memory", lambda: None)
    monkeypatch.delattr(os, "pwritev", raising=False)
    try:
        for seed in range(3):
            is_right(seed)
        P, R = model(0)
        with pytest.raises(ValueError, match=r"^P: state 0, action 0: found probabilities that sum to 0\.5"):
            mdpsolve.solve(P / 2, R, discount=0.5)
    finally:
        _worker.end()


def test_large_answers_in_memory_and_from_the_pipe(monkeypatch):
    n = 4000
    rng = np.random.default_rng(1)
    rows, s = rng.random((2 * n, 3)), np.repeat(np.arange(n), 2)
    sparse = pytest.importorskip("scipy.sparse")
    ends = np.arange(2 * n + 1) * 3
    P = sparse.csr_array(((rows / rows.sum(axis=1)[:, None]).ravel(), rng.integers(n, size=6 * n), ends))
    R = rng.random(2 * n)
    model = mdpsolve.Model.of_pairs(P, R, s, np.tile([0, 1], n))
    found = [mdpsolve.solve(model, discount=0.9) for _ in range(2)]
    is_right(1)
    _worker.end()
    monkeypatch.setattr(_worker, "memory", lambda: None)
    found.append(mdpsolve.solve(model, discount=0.9))
    _worker.end()
    value = (R + 0.9 * (P @ found[0].value)).reshape(n, 2).max(axis=1)
    np.testing.assert_allclose(found[0].value, value, rtol=1e-5)  # the tolerance is 1e-6 of values near 1
    for one in found:
        assert len(one.archive) > 1 << 16 and one.check().verdict == "holds"
        for name in "value", "lower", "upper", "policy":
            np.testing.assert_array_equal(getattr(one, name), getattr(found[0], name))


def test_matrices_that_nobody_has_looked_into():
    sparse = pytest.importorskip("scipy.sparse")
    P, R = model(8)
    R[3, 1] = -np.inf  # a row that is left out
    value = mdpsolve.solve(P, R, discount=0.9).value
    matrices = [sparse.csr_matrix(p) for p in P]
    np.testing.assert_allclose(mdpsolve.solve(matrices, R, discount=0.9).value, value, rtol=1e-8)
    halves = np.repeat(P[0].ravel() / 2, 2), np.repeat(np.tile(np.arange(N), N), 2)  # each entry twice
    split = sparse.csr_matrix((*halves, np.arange(N + 1) * 2 * N), shape=(N, N))
    found = mdpsolve.solve([split, matrices[1]], R, discount=0.9)
    np.testing.assert_allclose(found.value, value, rtol=1e-8)
    assert found.check().verdict == "holds"
    for spoil, text in (
        (lambda m: m.data.__setitem__(5, np.nan), "P: state 0, action 0: found nan"),
        (lambda m: m.data.__setitem__(slice(5, 6), -0.5), "P: state 0, action 0: found -0.5"),
        (lambda m: m.indices.__setitem__(5, N), "P: found a sparse matrix that is not in order"),
        (lambda m: m.indptr.__setitem__(1, 10**6), "P: found a sparse matrix that is not in order"),
    ):
        bad = sparse.csr_matrix(P[0])
        spoil(bad)
        with pytest.raises(ValueError, match=text):
            mdpsolve.solve([bad, matrices[1]], R, discount=0.9)


DIES = """#!/bin/sh
echo "out of luck" >&2
read question
exit 7
"""


@pytest.mark.skipif(os.name == "nt", reason="a script of a shell")
def test_a_worker_that_dies_again(tmp_path, monkeypatch):
    command = tmp_path / "mdpsolve"
    command.write_text(DIES)
    command.chmod(0o755)
    monkeypatch.setattr(_command, "command", lambda: str(command))
    for _ in range(3):
        with pytest.raises(
            RuntimeError, match=r"mdpsolve: its worker ended without an answer, with status 7: out of luck$"
        ):
            mdpsolve.solve([[1]], [1], discount=0.5)
    monkeypatch.undo()
    is_right(5)


def test_no_worker_stays_behind():
    program = """
        import sys, mdpsolve
        from mdpsolve import _worker
        mdpsolve.solve([[1]], [1], discount=0.5)
        print(_worker.current.process.pid, flush=True)
        if sys.argv[1] == "killed":
            import os, signal
            os.kill(os.getpid(), signal.SIGKILL)
    """
    for how in "ended", "killed":
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), how], capture_output=True, text=True)
        assert done.stderr == ""
        end = time.monotonic() + 10
        while is_running(int(done.stdout)) and time.monotonic() < end:
            time.sleep(0.05)
        assert time.monotonic() < end


def is_running(process):
    """Whether there is such a process that has not ended: one that nobody has waited for has no command line."""
    try:
        with open(f"/proc/{process}/cmdline") as line:
            return line.read() != ""
    except OSError:
        return False


def test_words_that_are_not_in_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/a\xff.json"
    try:
        with open(name, "w") as file:
            actions = [{"rewards": [1], "to": [[0, 1]]}]
            json.dump({"kind": "dtmc", "reward_models": ["r"], "states": [{"actions": actions}]}, file)
    except OSError:
        pytest.skip("names of files are in UTF-8 here")
    np.testing.assert_allclose(mdpsolve.solve(os.fsdecode(name), discount=0.5).value, [2])


def test_many_small_questions_are_quick():
    P, R = model(6)
    mdpsolve.solve(P, R, discount=0.9)
    begin = time.perf_counter()
    for discount in np.linspace(0.5, 0.98, 50):
        mdpsolve.solve(P, R, discount=discount)
    assert time.perf_counter() - begin < 4  # 0.1 on a quiet machine
