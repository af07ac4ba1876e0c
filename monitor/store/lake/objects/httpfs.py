"""Gives a DuckDB access to the object store of a lake."""

from typing import Final

import duckdb

from monitor.domain.object_store import ObjectData, ObjectKeys
from monitor.errors import ConfigError
from monitor.store.lake.extensions import OF_CREDENTIALS, OF_OBJECTS, load
from monitor.store.lake.literal import literal

NAME: Final = "lake_objects"  # of the secret
_SETTINGS: Final = {
    "enable_server_cert_verification": "true",
    "enable_global_s3_configuration": "false",  # the keys are those of the configuration
    "httpfs_connection_caching": "true",
    "validate_external_file_cache": "'NO_VALIDATION'",  # a file of a lake never changes
}


def attach_objects(connection: duckdb.DuckDBPyConnection, data: ObjectData) -> None:
    """Load the extensions and create the secret for the objects of a lake; a repetition changes nothing.

    Raises ConfigError when an extension is missing or the machine has no credentials.
    """
    load(connection, OF_OBJECTS)
    if data.keys is None:
        load(connection, OF_CREDENTIALS)
    for name, value in _SETTINGS.items():
        connection.execute(f"SET GLOBAL {name} = {value}")
    if data.ca_file is not None:
        connection.execute(f"SET GLOBAL ca_cert_file = {literal(str(data.ca_file))}")
    try:
        connection.execute(f"CREATE OR REPLACE SECRET {NAME} ({_secret(data)})")
    except duckdb.Error:
        if data.keys is not None:
            raise
        raise ConfigError(
            "store.object_store: this machine has no credentials of an object store: give access_key_id and "
            "secret_access_key, or set the variables, the profile or the role of the AWS clients (docs/scale.md)"
        ) from None


def keys_of(data: ObjectData) -> ObjectKeys:
    """Return the keys of the configuration, or those of the machine. Raises ConfigError without keys."""
    if data.keys is not None:
        return data.keys
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "allow_persistent_secrets": "false",
            "allow_unredacted_secrets": "true",
        }
    )
    try:
        attach_objects(connection, data)
        sql = "SELECT secret_string FROM duckdb_secrets(redact => false) WHERE name = $name"
        [(secret,)] = connection.execute(sql, {"name": NAME}).fetchall()
    finally:
        connection.close()
    found = dict(part.partition("=")[::2] for part in secret.split(";"))
    return ObjectKeys(id=found["key_id"], secret=found["secret"], token=found.get("session_token") or None)


def _secret(data: ObjectData) -> str:
    """Return the parameters of the secret."""
    scheme, _, host = data.address.partition("://")
    given = {
        "TYPE": "s3",
        "SCOPE": literal(str(data)),
        "REGION": literal(data.region),
        "ENDPOINT": literal(host),
        "URL_STYLE": literal(data.url_style),
        "USE_SSL": str(scheme == "https").lower(),
    }
    if data.keys is not None:
        given |= {"KEY_ID": literal(data.keys.id), "SECRET": literal(data.keys.secret)}
        if data.keys.token is not None:
            given["SESSION_TOKEN"] = literal(data.keys.token)
    else:
        given |= {"PROVIDER": "credential_chain", "REFRESH": "auto"}
    return ", ".join(f"{name} {value}" for name, value in given.items())
