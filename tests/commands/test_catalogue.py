"""The catalogue of commands: what is accepted, what is refused and how, and that the documentation shows it."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.commands.catalogue import CATALOGUE, LEGACY_NAMES, Effect, Risk, resolve
from hashinsight.commands.catalogue_table import catalogue_table
from hashinsight.edge.commands.checks import split_config
from hashinsight.kit.errors import ValidationFailed
from hashinsight.wire.canonical import canonical_json
from hashinsight.wire.commands import VERBS

ROOT = Path(__file__).parents[2]
URL = "stratum+tcp://pool.example:3333"
POOL = {"pool_url": URL, "pool_user": "acme.rack1"}
GOOD: dict[str, dict[str, Any]] = {
    "reboot_device": {},
    "restart_mining": {},
    "disable_hashing": {},
    "enable_hashing": {},
    "set_pool": POOL,
    "set_frequency": {"frequency": 490},
    "set_fan": {"speed": 80},
    "set_power_limit": {"watts": 3200},
    "set_power_mode": {"mode": "eco"},
    "fault_light": {"on": True},
    "update_config": {"config": {"power_mode": "eco", "fan_speed_pct": 80}},
}


def refusal(name: object, params: object) -> ValidationFailed:
    with pytest.raises(ValidationFailed) as refused:
        resolve(name, params)
    return refused.value


def faults(name: object, params: object) -> dict[str, str]:
    refused = refusal(name, params)
    assert refused.error_code == "BAD_PARAMS"
    return {param["param"]: param["reason"] for param in refused.details["params"]}


def test_the_catalogue_is_the_specifications() -> None:
    high = {"reboot_device", "disable_hashing", "set_pool"}
    assert set(CATALOGUE) == set(VERBS) == set(GOOD)
    assert {entry.name for entry in CATALOGUE.values() if entry.risk is Risk.HIGH} == high
    assert {entry.name for entry in CATALOGUE.values() if entry.risk is Risk.LOW} == {"fault_light"}
    assert {entry.name for entry in CATALOGUE.values() if not entry.is_control} == {"fault_light"}
    assert [CATALOGUE[name].verb for name in ("reboot_device", "restart_mining")] == ["reboot", "restart"]
    assert [CATALOGUE[name].verb for name in ("disable_hashing", "enable_hashing")] == ["disable", "enable"]


def test_opposites_are_mutual_and_exist() -> None:
    for entry in CATALOGUE.values():
        assert all(entry.name in CATALOGUE[other].opposes for other in entry.opposes)
        assert entry.inverse is None or CATALOGUE[entry.inverse].inverse == entry.name
        assert entry.secret_params <= entry.params.model_fields.keys()
    assert CATALOGUE["disable_hashing"].opposes == {"enable_hashing"}
    assert (CATALOGUE["disable_hashing"].effect, CATALOGUE["enable_hashing"].effect) == (Effect.STOPS, Effect.RESUMES)


@pytest.mark.parametrize("name", GOOD)
def test_every_type_takes_its_parameters_as_they_are(name: str) -> None:
    kind, params = resolve(name, GOOD[name])
    assert kind is CATALOGUE[name]
    assert params == GOOD[name]


@pytest.mark.parametrize(
    ("old", "given_params", "name", "params"),
    [
        ("reboot_miner", {"delay_seconds": 5}, "reboot_device", {"delay_seconds": 5}),
        ("switch_pool", {"pool_url": URL, "worker": "acme.rack1"}, "set_pool", POOL),
        ("switch_pool", POOL, "set_pool", POOL),
        ("adjust_frequency", {"frequency_mhz": 490}, "set_frequency", {"frequency": 490}),
        ("enable_low_power", None, "set_power_mode", {"mode": "eco"}),
    ],
)
def test_older_names_are_accepted_with_their_own_parameters(
    old: str, given_params: dict[str, Any] | None, name: str, params: dict[str, Any]
) -> None:
    kind, command_type = resolve(old, given_params)
    assert (kind.name, command_type) == (name, params)
    assert old in LEGACY_NAMES


@pytest.mark.parametrize("name", ["", "reboot", "rebot_device", "REBOOT_DEVICE", "firmware_update", "a" * 10_000, "\0"])
def test_an_unknown_type_is_refused_and_the_known_ones_are_named(name: str) -> None:
    refused = refusal(name, {})
    assert refused.error_code == "UNKNOWN_COMMAND_TYPE"
    assert refused.details["known"] == list(CATALOGUE)
    assert len(refused.details["command_type"]) <= 64


@pytest.mark.parametrize("name", [None, 5, True, ["set_fan"], {"a": 1}])
def test_a_command_type_that_is_no_text_is_unknown(name: object) -> None:
    assert refusal(name, {}).error_code == "UNKNOWN_COMMAND_TYPE"


def test_a_typo_gets_a_hint() -> None:
    assert "did you mean reboot_device?" in refusal("rebot_device", {}).message


BAD: list[tuple[str, str, list[Any]]] = [
    ("set_frequency", "frequency", [99, 1501, -1, 0, "490", None, [490], {}]),
    ("set_frequency", "frequency", [True, math.nan, math.inf, -math.inf, 10**400]),
    ("set_fan", "speed", [-1, 101, 50.5, "50", True, math.nan, 2**70]),
    ("set_power_limit", "watts", [0, 99, 20_001, "3 kW", False, math.inf]),
    ("set_power_mode", "mode", ["turbo", "ECO", "", 1, None]),
    ("fault_light", "on", [1, 0, "true", None]),
    ("reboot_device", "delay_seconds", [-1, 301, 1.5, True, "5"]),
]


@pytest.mark.parametrize(
    ("name", "params", "param"),
    [
        *[(name, {param: bad}, param) for name, param, values in BAD for bad in values],
        ("set_fan", {}, "speed"),
        ("fault_light", {}, "on"),
        ("update_config", {}, "config"),
        ("reboot_device", {"force": True}, "force"),
        ("disable_hashing", {"speed": 5}, "speed"),
        ("set_fan", {"speed": 5, "Speed": 6}, "Speed"),
    ],
)
def test_a_wrong_parameter_is_refused_by_its_name(name: str, params: dict[str, Any], param: str) -> None:
    assert faults(name, params).keys() == {param}


@pytest.mark.parametrize("params", [[], "speed=5", 5, True, [["speed", 5]]])
def test_parameters_are_an_object(params: object) -> None:
    assert faults("set_fan", params) == {"params": "is not an object"}


def test_all_errors_are_returned_at_once_up_to_a_bound() -> None:
    assert faults("set_fan", {"speed": 101, "x": 1, "y": 2}).keys() == {"speed", "x", "y"}
    errors = faults("set_fan", {"speed": 5} | {f"{number:03}{'x' * 500}": 1 for number in range(500)})
    assert len(errors) == 20
    assert max(map(len, errors)) == 64


def test_a_whole_frequency_goes_out_as_a_whole_number() -> None:
    assert isinstance(resolve("set_frequency", {"frequency": 490.0})[1]["frequency"], int)
    assert resolve("set_frequency", {"frequency": 487.5})[1] == {"frequency": 487.5}


@pytest.mark.parametrize(
    ("given_url", "url"),
    [
        ("stratum+tcp://pool.example:3333", "stratum+tcp://pool.example:3333"),
        ("STRATUM+SSL://Pool.Example:443", "stratum+ssl://pool.example:443"),
        ("stratum+tls://10.0.0.9:3333", "stratum+tls://10.0.0.9:3333"),
        ("stratum+tcp://[fd00::9]:3333", "stratum+tcp://[fd00::9]:3333"),
        (
            "stratum2+tcp://v2.pool.example:3336/9bDuixKmZqAJnrmP",
            "stratum2+tcp://v2.pool.example:3336/9bDuixKmZqAJnrmP",
        ),
        ("stratum2://v2.pool.example:3336", "stratum2://v2.pool.example:3336"),
    ],
)
def test_a_pool_address_is_normalized(given_url: str, url: str) -> None:
    assert resolve("set_pool", POOL | {"pool_url": given_url})[1]["pool_url"] == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "pool.example:3333",
        "http://pool.example:3333",
        "stratum+udp://pool.example:3333",
        "stratum+tcp://pool.example",
        "stratum+tcp://:3333",
        "stratum+tcp://pool.example:0",
        "stratum+tcp://pool.example:65536",
        "stratum+tcp://pool.example:3333/path",
        "stratum+tcp://pool.example:3333?a=b",
        "stratum+tcp://pool.example:3333#x",
        "stratum+tcp://pool.example:3333\n",
        " stratum+tcp://pool.example:3333",
        "stratum+tcp://po ol.example:3333",
        "stratum+tcp://-pool.example:3333",
        "stratum+tcp://pool.example:३३३३",
        "stratum+tcp://acme:hunter22@pool.example:3333",
        "stratum+tcp://" + "a" * 500 + ":3333",
    ],
)
def test_an_invalid_pool_address_is_refused_without_echo(url: str) -> None:
    refused = refusal("set_pool", POOL | {"pool_url": url})
    assert refused.details["params"][0]["param"] == "pool_url"
    assert "hunter22" not in f"{refused.message}{refused.details}"


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"pool_url": URL},
        {"pool_user": "acme"},
        {"pool_password": "x"},
        {"pool_id": "main", **POOL},
        {"pool_id": 3, "pool_password": "x"},
        {"pool_id": 3, "pool_password": ""},
    ],
)
def test_a_pool_is_spelled_out_or_named_by_its_id(params: dict[str, Any]) -> None:
    assert faults("set_pool", params).keys() == {"params"}


@pytest.mark.parametrize("pool_id", ["main", "pool-2", 0, 17])
def test_a_pool_may_be_named_by_its_id(pool_id: str | int) -> None:
    assert resolve("set_pool", {"pool_id": pool_id})[1] == {"pool_id": pool_id}


@pytest.mark.parametrize("pool_id", ["", "a b", "../x", -1, True, 1.5, 2**31, "x" * 65, "\ud800"])
def test_an_invalid_pool_id_is_refused(pool_id: object) -> None:
    assert faults("set_pool", {"pool_id": pool_id}).keys() == {"pool_id"}


@pytest.mark.parametrize("user", ["", "a b", "a\tb", "a\0b", "a\u202eb", "\ud800", "x" * 201, 5])
def test_an_invalid_worker_is_refused_by_the_name_used(user: object) -> None:
    assert faults("set_pool", {"pool_url": URL, "pool_user": user}).keys() == {"pool_user"}
    assert faults("switch_pool", {"pool_url": URL, "worker": user}).keys() == {"worker"}
    assert faults("switch_pool", {"pool_url": URL, "pool_user": user}).keys() == {"pool_user"}


def test_an_old_name_refuses_both_spellings_and_its_own_fixed_parameter() -> None:
    assert faults("switch_pool", POOL | {"worker": "acme"}) == {"worker": "means the same as pool_user"}
    assert faults("enable_low_power", {"mode": "eco"}) == {"mode": "is implied by the command's name"}
    assert faults("set_pool", {"pool_url": URL, "worker": "acme"}) == {"worker": "no such parameter"}


def test_the_password_is_separated_from_shown_parameters_and_never_echoed() -> None:
    kind, params = resolve("set_pool", POOL | {"pool_password": "hunter22"})
    assert kind.split_params(params) == (POOL, {"pool_password": "hunter22"})
    refused = refusal("set_pool", POOL | {"pool_password": "hunter22\n"})
    assert "hunter22" not in f"{refused.message}{refused.details}"


def nested(levels: int) -> dict[str, Any]:
    inner: Any = 1
    for _ in range(levels):
        inner = {"power_mode": inner}
    params: dict[str, Any] = inner
    return params


@pytest.mark.parametrize(
    "config",
    [
        *({}, [], "x", 5, None, {"power_mode": None}, nested(2), nested(900), {"\ud800": 1}, {"": 1}, {5: 1}),
        *({"power_mode": bad} for bad in ("turbo", "ECO", 1, ["eco"], {"mode": "eco"})),
        *({"power_limit_w": bad} for bad in (99, 20_001, "3200", True, 3200.5, math.nan, 2**70)),
        *({"frequency_mhz": bad} for bad in (99, 1501, "490", True, math.inf, 10**400, [490])),
        *({"fan_speed_pct": bad} for bad in (-1, 101, 50.5, "50", False)),
    ],
)
def test_a_configuration_takes_its_settings_within_the_bounds_of_their_own_commands(config: object) -> None:
    assert all(name.startswith("config") for name in faults("update_config", {"config": config}))


@pytest.mark.parametrize(
    "name",
    [
        *("url", "URL", "pool", "pools", "poolUrl", "bitmain-pool-1", "stratum", "host", "server", "address", "user"),
        *("worker", "pass", "password", "root_password", "api_token", "ip", "gateway", "dns", "ntp", "hostname"),
        *("firmware_url", "upgrade", "script", "cmd", "power_mode ", "POWER_MODE", "pow\u0435r_mode", "anything"),
    ],
)
@pytest.mark.parametrize("value", ["thief.example:3333", ["stratum+tcp://thief.example:3333"], {"url": "thief"}, 1])
def test_a_configuration_sets_nothing_that_is_not_on_the_list(name: str, value: Any) -> None:
    refused = refusal("update_config", {"config": {"power_mode": "eco", name: value}})
    assert refused.error_code == "BAD_PARAMS"
    (fault,) = refused.details["params"]
    assert fault["param"] == f"config.{name}"
    assert "it sets power_mode, power_limit_w" in fault["reason"]
    assert "thief" not in f"{refused.message}{refused.details}"


@pytest.mark.parametrize("setting", ["power_mode", "power_limit_w", "frequency_mhz", "fan_speed_pct"])
def test_no_setting_holds_an_address(setting: str) -> None:
    for value in ("thief.example:3333", ["thief.example:3333"], {"url": "thief.example:3333"}):
        assert f"config.{setting}" in faults("update_config", {"config": {setting: value}})


def test_a_configuration_sets_the_fields_of_our_edge_as_plain_numbers() -> None:
    config = {"power_mode": "eco", "power_limit_w": 3200, "frequency_mhz": 490.0, "fan_speed_pct": 80}
    params = resolve("update_config", {"config": config | {"power_mode": "normal"}})[1]
    assert [verb for verb, _ in split_config(params)] == [
        "set_power_mode",
        "set_power_limit",
        "set_frequency",
        "set_fan",
    ]
    assert canonical_json(params).count(b"490,") == 1
    for name in config:
        assert len(split_config(resolve("update_config", {"config": {name: config[name]}})[1])) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(
    st.sampled_from([*CATALOGUE, *LEGACY_NAMES]),
    st.dictionaries(
        st.sampled_from(
            [
                "speed",
                "frequency",
                "frequency_mhz",
                "watts",
                "mode",
                "on",
                "config",
                "delay_seconds",
                "worker",
                *POOL,
                "pool_id",
            ]
        )
        | st.text(),
        JSON,
    ),
)
def test_any_request_is_refused_with_a_code_or_can_be_signed(name: str, params: dict[str, Any]) -> None:
    try:
        kind, resolved = resolve(name, params)
    except ValidationFailed as refused:
        code, details = refused.error_code, refused.details
    else:
        canonical_json(resolved)
        assert resolve(kind.name, resolved) == (kind, resolved)
        return
    assert code == "BAD_PARAMS"
    canonical_json(details)


def test_the_documented_catalogue_is_the_catalogue() -> None:
    assert catalogue_table() in (ROOT / "docs" / "wire-commands.md").read_text(), "run `make docs`"
