import multiprocessing
from pathlib import Path

import pytest

from hashinsight.kit.errors import OperatorError
from hashinsight.kit.secret_key import FILE_NAME, load_secret_key
from hashinsight.kit.settings import Settings


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    first = load_secret_key(settings)
    assert load_secret_key(settings) == first
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / FILE_NAME]


def _load(folder: Path) -> bytes:
    return load_secret_key(Settings(data_dir=folder))


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert len(set(pool.map(_load, [tmp_path] * 16))) == 1


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    load_secret_key(Settings(data_dir=tmp_path))
    (tmp_path / FILE_NAME).chmod(0o644)
    with pytest.raises(OperatorError, match="can be read by others"):
        load_secret_key(Settings(data_dir=tmp_path))


def test_a_short_key_is_refused(tmp_path: Path) -> None:
    settings = Settings.model_validate({"data_dir": tmp_path, "secret_key": "short"})
    with pytest.raises(OperatorError, match="shorter than 32") as refused:
        load_secret_key(settings)
    assert "'short'" not in str(refused.value)
