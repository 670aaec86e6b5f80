"""Forks, threads, signals and the command-line program."""
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import causcale

LIMIT = 120  # seconds: against hanging for ever, not a measure of speed


def run(program, **options):
    command = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, **options)


def test_fork_after_use():
    done = run(
        """
        import multiprocessing, numpy
        import causcale

        data = causcale.simulate(nodes=5, rows=80, seed=3)

        def work(_):
            return causcale.discover(data, warn=False).probabilities

        first = work(0)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            for probabilities in pool.map(work, range(2)):
                numpy.testing.assert_array_equal(probabilities, first)
        print("same")
        """
    )
    assert done.stdout == "same\n", done.stderr


def test_two_interpreters():
    """Our module works in both. What the packages beside it refuse is an ImportError, and the first one goes on."""
    pytest.importorskip("_xxsubinterpreters")
    done = run(
        """
        import _xxsubinterpreters as interpreters
        import causcale
        from causcale import _native

        data = causcale.simulate(nodes=5, rows=80, seed=3)
        before = causcale.run_method("corr", data, warn=False).scores.tolist()
        names = [method["name"] for method in _native.methods()]
        program = f'''if True:
            import importlib.util

            spec = importlib.util.spec_from_file_location("causcale._native", {_native.__file__!r})
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            assert [method["name"] for method in module.methods()] == {names!r}
            try:
                module.graph_of_file("/none.json", False)
                assert False, "a file that is not there was read"
            except module.InputError as error:
                assert "/none.json" in str(error)
            try:
                import causcale
            except ImportError:  # of pandas, which is for one interpreter
                pass
        '''
        for _ in range(2):
            second = interpreters.create()
            interpreters.run_string(second, program)
            interpreters.destroy(second)
        assert causcale.run_method("corr", data, warn=False).scores.tolist() == before
        print("both")
        """
    )
    assert done.stdout == "both\n", done.stderr


def test_two_threads_at_once(simulated, found):
    model = causcale.Model()
    answers = {}

    def work(key, function):
        answers[key] = function(simulated, warn=False).probabilities

    threads = [
        threading.Thread(target=work, args=(k, causcale.discover if k % 2 else model.discover)) for k in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    for probabilities in answers.values():
        np.testing.assert_array_equal(probabilities, found.probabilities)


def test_interrupt_within_the_network():
    """The network itself asks between its blocks: a single pass is left early."""
    data = causcale.simulate(nodes=5, rows=80, seed=3)
    shares = []

    def interrupt(stage, share):
        if stage == "network":
            shares.append(share)
            if len(shares) == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        causcale.discover(data, ensemble=1, views=1, progress=interrupt, warn=False)
    assert shares[-1] < 0.9


def test_signal():
    program = """
        import sys
        import causcale

        data = causcale.simulate(nodes=60, rows=1500, seed=3)
        def tell(stage, share):
            if stage == "network":
                print(stage, flush=True)
        try:
            causcale.discover(data, bootstrap=500, progress=tell, warn=False)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "network\n"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=LIMIT)  # the whole work would take hours
    assert output.endswith("interrupted\n")


def program():
    return pathlib.Path(causcale.__file__).parents[2] / "bin/causcale"


def test_main():
    if not program().is_file():
        pytest.skip("the program is not built")
    command = [sys.executable, "-m", "causcale", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    direct = subprocess.run([program(), "--version"], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stdout == direct.stdout


def test_main_finds_the_program_on_the_path(tmp_path):
    package = tmp_path / "a/b/c/d/e/causcale"
    package.mkdir(parents=True)
    source = pathlib.Path(causcale.__file__).parent / "__main__.py"
    (package / "__main__.py").write_text(source.read_text())
    tool = tmp_path / "tools/causcale"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\necho "found $1"\n')
    tool.chmod(0o755)
    command = [sys.executable, str(package / "__main__.py"), "models"]
    done = subprocess.run(command, env={"PATH": f"{tool.parent}:/bin"}, capture_output=True, text=True)
    assert done.stdout == "found models\n"
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1 and "nor on the PATH" in done.stderr and done.stdout == ""


def test_sizes():
    from causcale.options import options_of

    def size(given):
        return options_of(max_memory=given)["max_memory"]

    assert size("4GiB") == 4 << 30 and size("1.5 m") == 3 << 19 and size("2T") == 2 << 40
    assert size(5) == 5
    for wrong in ("much", "inf", "-1", "", "0", -1, 1.5, True):
        with pytest.raises(causcale.UsageError, match="max_memory"):
            size(wrong)
