"""Settings of the sandbox in which programs of models run."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field, ValidationInfo, field_validator, model_validator

from monitor.config.section import Section, fault, folder_of, why
from replay.sandbox.kubernetes.settings import ACCOUNT, ClusterSettings


class SandboxKind(StrEnum):
    """Where programs run."""

    BUBBLEWRAP = "bubblewrap"
    KUBERNETES = "kubernetes"


class SandboxConfig(Section):
    """Where the scorer `code` runs the programs of replies: in bubblewrap on this machine, or each in a Job of its own
    in Kubernetes, in a namespace without network (code-sandbox.md). All other keys are for `kind: kubernetes`.
    """

    kind: SandboxKind = Field(
        default=SandboxKind.BUBBLEWRAP,
        description="`bubblewrap` or `kubernetes`.",
        json_schema_extra=why("bubblewrap needs no other machine"),
    )
    namespace: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
        max_length=63,
        description="Namespace of the Jobs, required. It is for them alone; a NetworkPolicy denies all its traffic.",
        json_schema_extra=why("the rights of driftd and the policy of the network count for the whole namespace"),
    )
    image: str | None = Field(
        default=None,
        min_length=1,
        description="Image with `python3`, version 3.11 or later, required. Nothing else in it is used.",
        json_schema_extra=why("your cluster decides from where it loads images"),
    )
    runtime_class: str | None = Field(
        default=None,
        min_length=1,
        description="RuntimeClass of the pods, for example `gvisor`.",
        json_schema_extra=why("not every cluster has a second runtime; with one, programs do not reach the kernel"),
    )
    at_once: int = Field(
        default=16,
        ge=1,
        le=500,
        description="Programs that this process runs at the same time. A replay also has `targets.NAME.concurrency`.",
        json_schema_extra=why("each takes a processor"),
    )
    start_timeout_seconds: float = Field(
        default=120.0,
        gt=0,
        le=3600,
        description="Time until a pod runs. After that the reply has no score.",
        json_schema_extra=why("a node may be added first, and load the image"),
    )
    cpu: str = Field(
        default="1",
        pattern=r"^(1|0?\.[0-9]+|[1-9][0-9]{0,2}m)$",
        description="Processor time that a pod requests, as a quantity of Kubernetes. The limit is one processor.",
        json_schema_extra=why("a program on a busy node must not reach its time limit because of others"),
    )
    url: str | None = Field(
        default=None,
        pattern=r"^https://",
        description="Address of the API server. Default: that of the cluster in which this process runs.",
        json_schema_extra=why("in a pod Kubernetes gives it"),
    )
    token_file: Path = Field(
        default=ACCOUNT / "token",
        description="File with the token of a service account. It is read for each request.",
        json_schema_extra=why("Kubernetes mounts it there"),
    )
    ca_file: Path = Field(
        default=ACCOUNT / "ca.crt",
        description="File with the certificate authority of the API server, PEM.",
        json_schema_extra=why("Kubernetes mounts it there"),
    )

    @field_validator("token_file", "ca_file")
    @classmethod
    def _in_folder(cls, path: Path, info: ValidationInfo) -> Path:
        return folder_of(info) / path

    @model_validator(mode="after")
    def _keys_match_kind(self) -> "SandboxConfig":
        if self.kind is SandboxKind.KUBERNETES:
            for key in ("namespace", "image"):
                if getattr(self, key) is None:
                    raise fault(key, "kind: kubernetes needs this key")
        elif others := sorted(self.model_fields_set - {"kind"}):
            raise fault(others[0], "only kind: kubernetes has this key")
        return self

    @property
    def cluster(self) -> ClusterSettings | None:
        """The settings of the sandbox in Kubernetes; None when programs run on this machine."""
        if self.namespace is None or self.image is None:
            return None
        return ClusterSettings(
            namespace=self.namespace,
            image=self.image,
            url=self.url,
            token_file=self.token_file,
            ca_file=self.ca_file,
            runtime_class=self.runtime_class,
            at_once=self.at_once,
            start_timeout_s=self.start_timeout_seconds,
            cpu=self.cpu,
        )
