from pathlib import Path

import pytest

from hashinsight.kit.errors import OperatorError
from hashinsight.kit.settings import Settings, load_settings, settings_table


def test_an_unknown_variable_with_our_prefix_is_refused_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HASHINSIGHT_DATABSE_URL", "postgresql://x")
    with pytest.raises(OperatorError, match=r"HASHINSIGHT_DATABSE_URL .* did you mean HASHINSIGHT_DATABASE_URL\?"):
        load_settings()


def test_an_unknown_variable_far_from_any_setting_points_to_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HASHINSIGHT_QQQQQQQQQQQQ", "1")
    with pytest.raises(OperatorError, match=r"settings\.md"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "0"),
        ("PORT", "many"),
        ("DATABASE_URL", "mysql://host/db"),
        ("REDIS_URL", "localhost:6379"),
        ("LOG_LEVEL", "LOUD"),
        ("DISK_RESERVE_MB", "-1"),
        ("SERVICE_USER", "no such; user"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"HASHINSIGHT_{name}", value)
    with pytest.raises(OperatorError, match=f"HASHINSIGHT_{name} is invalid") as refused:
        load_settings()
    assert "\n" not in str(refused.value)


def test_a_refusal_never_repeats_the_value_that_may_be_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HASHINSIGHT_DATABASE_URL", "postgers://user:hunter22@host/db")
    with pytest.raises(OperatorError) as refused:
        load_settings()
    assert "hunter22" not in str(refused.value)


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HASHINSIGHT_DATABASE_URL", "")
    assert load_settings().database_url is None


def test_the_data_folder_is_absolute_whatever_was_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HASHINSIGHT_DATA_DIR", "here")
    assert load_settings().data_dir == tmp_path / "here"


def test_settings_do_not_show_secrets() -> None:
    settings = Settings.model_validate({"database_url": "postgresql://u:hunter22@h/d", "secret_key": "s" * 40})
    assert "hunter22" not in repr(settings)
    assert "ssss" not in repr(settings)


def test_the_table_has_a_line_for_every_setting() -> None:
    table = settings_table()
    for name in Settings.model_fields:
        assert f"`HASHINSIGHT_{name.upper()}`" in table
