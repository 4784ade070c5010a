"""Files that other programs never see incomplete."""

import os
import subprocess
import sys

import pytest

from mdpsolve._files import SUFFIX, whole

FOREVER = """
import sys, time
from mdpsolve._files import whole
with whole(sys.argv[1]) as file:
    file.write(b"half")
    print("now", flush=True)
    time.sleep(3600)
"""


def write(path, content):
    with whole(path) as file:
        file.write(content)


def test_what_was_there_stays_until_all_is_written(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(path)
    write(link, b"old")
    path.chmod(0o640)
    with pytest.raises(RuntimeError), whole(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    with whole(link) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new" and link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]
    write(os.devnull, b"gone")


def test_a_missing_folder_is_that_of_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as fault:
        write(tmp_path / "nowhere" / "file", b"")
    assert fault.value.filename == os.path.realpath(tmp_path / "nowhere" / "file")


@pytest.mark.skipif(os.name != "posix", reason="Windows does not kill")
def test_what_killed_programs_leave_is_removed(tmp_path):
    path = tmp_path / "file"
    programs = []
    for _ in range(2):
        programs.append(subprocess.Popen([sys.executable, "-c", FOREVER, str(path)], stdout=subprocess.PIPE))
        assert programs[-1].stdout.readline() == b"now\n"
    assert sorted(os.listdir(tmp_path)) == ["file.2" + SUFFIX, "file" + SUFFIX]
    programs[0].kill()
    programs[0].communicate()
    write(path, b"whole")
    assert path.read_bytes() == b"whole"
    assert sorted(os.listdir(tmp_path)) == ["file", "file.2" + SUFFIX], "that of the program that goes on"
    programs[1].kill()
    programs[1].communicate()
    write(path, b"again")
    assert os.listdir(tmp_path) == ["file"]
