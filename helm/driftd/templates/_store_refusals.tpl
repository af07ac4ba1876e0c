{{- define "driftd.problems.store" -}}
{{- if include "driftd.isLake" . }}
{{- include "driftd.problems.lake" . }}
{{- include "driftd.problems.roles" . }}
{{- include "driftd.problems.salt" . }}
{{- else }}
{{- include "driftd.problems.file" . }}
{{- end }}
{{- end }}

{{- define "driftd.problems.file" -}}
{{- $store := .Values.config.store | default dict }}
{{- range $key := list "data" "work_folder" }}
{{- if index $store $key }}
config.store.{{ $key }} is for a lake, and config.store names no database: set also url_file, or remove {{ $key }}.
{{- end }}
{{- end }}
{{- $path := dig "store" "path" "data/driftd.duckdb" .Values.config }}
{{- if not (hasPrefix "/var/lib/driftd/" $path) }}
config.store.path is {{ $path }}: only the volume /var/lib/driftd is persistent; set a file in it.
{{- end }}
{{- range include "driftd.changed" (dict "root" . "section" "roles") | fromJsonArray }}
{{ . }} is set, but config.store names no lake, and one process has a file: set config.store.url_file and data (README.md, section A lake), or remove it.
{{- end }}
{{- end }}

{{- define "driftd.problems.lake" -}}
{{- $store := .Values.config.store }}
{{- if and $store.path (ne $store.path "/var/lib/driftd/driftd.duckdb") }}
config.store has both path and url_file: a lake has no file; remove path.
{{- end }}
{{- range $key := list "backup_folder" "disk_reserve_mb" "disk_reserve_share" }}
{{- if hasKey $store $key }}
config.store.{{ $key }} is for a file: remove it. Back up the PostgreSQL database and the data of a lake, and watch their disks.
{{- end }}
{{- end }}
{{- range include "driftd.changed" (dict "root" . "section" "persistence") | fromJsonArray }}
{{ . }} is set, but a lake creates no volume claim for a file: remove it. roles.dataClaim and roles.sharedClaim name claims of a lake.
{{- end }}
{{- range include "driftd.changed" (dict "root" . "section" "resources") | fromJsonArray }}
{{ . }} is set, but with a lake each role has its own: set roles.ingest.resources and others, or remove it.
{{- end }}
{{- if not $store.data }}
config.store.data is empty: a lake needs the place of its Parquet files, s3://BUCKET/PREFIX, or /srv/driftd/lake with roles.dataClaim.
{{- else if contains "://" $store.data }}
{{- if .Values.roles.dataClaim }}
roles.dataClaim is {{ .Values.roles.dataClaim }}, but config.store.data is {{ $store.data }}, which is no folder; remove one of them.
{{- end }}
{{- else if not .Values.roles.dataClaim }}
config.store.data is the folder {{ $store.data }}, which the pods do not share: set roles.dataClaim to a claim with the access mode ReadWriteMany, or store the data in s3://BUCKET/PREFIX.
{{- else if not (regexMatch "^/srv/driftd/lake(/|$)" $store.data) }}
config.store.data is {{ $store.data }}: the chart mounts roles.dataClaim at /srv/driftd/lake; set this folder or one in it.
{{- end }}
{{- with $store.work_folder }}
{{- if not (regexMatch "^(/var/lib/driftd|/srv/driftd/shared)(/|$)" .) }}
config.store.work_folder is {{ . }}: only /var/lib/driftd, and /srv/driftd/shared with roles.sharedClaim, can be written; set a folder in one of them.
{{- end }}
{{- end }}
{{- end }}

{{- define "driftd.problems.roles" -}}
{{- range $name := list "ingest" "control" "api" }}
{{- $role := index $.Values.roles $name }}
{{- if and (not (include "driftd.scales" $role)) (not (kindIs "invalid" $role.replicas)) (lt (int $role.replicas) 1) }}
roles.{{ $name }}.replicas is 0: {{ get (dict "ingest" "no process would receive telemetry" "control" "no process would plan, compare and alert" "api" "no process would answer readers") $name }}; set at least 1. roles.paused: true stops all processes.
{{- end }}
{{- end }}
{{- range $name := list "ingest" "work" "api" }}
{{- with (index $.Values.roles $name).autoscaling }}
{{- $of := dict "lag" "ingest" "slices" "work" }}
{{- if and .enabled (ne .metric "cpu") (ne (get $of .metric) $name) }}
roles.{{ $name }}.autoscaling.metric is {{ .metric }}, which only the role {{ get $of .metric }} changes; set cpu.
{{- end }}
{{- if and .enabled (lt (int .maxReplicas) (int (.minReplicas | default 1))) }}
roles.{{ $name }}.autoscaling.maxReplicas is {{ .maxReplicas }}, less than minReplicas; raise it.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* All processes replace the same value by the same digest only with the same salt. */}}
{{- define "driftd.problems.salt" -}}
{{- $redaction := .Values.config.redaction | default dict }}
{{- if not (or $redaction.salt $redaction.salt_file $redaction.salt_path .Values.roles.sharedClaim) }}
config.redaction.salt_file is not set: each process of a lake would redact with a salt of its own; put one salt into existingSecret (openssl rand -hex 32) and set salt_file: /run/secrets/driftd/KEY, or set roles.sharedClaim.
{{- end }}
{{- with $redaction.salt_path }}
{{- if regexMatch "^(/tmp|/var/lib/driftd)(/|$)" . }}
config.redaction.salt_path is {{ . }}, which each pod has for itself: set salt_file: /run/secrets/driftd/KEY, or a file in /srv/driftd/shared.
{{- end }}
{{- end }}
{{- end }}

{{/* The keys of a section that differ from the defaults, as a JSON list: of a role, its own keys. */}}
{{- define "driftd.changed" -}}
{{- $section := .section -}}
{{- $defaults := index (.root.Files.Get "defaults.json" | fromJson) $section -}}
{{- $found := list -}}
{{- range $key, $value := index .root.Values $section -}}
{{- $default := index $defaults $key -}}
{{- if and (eq $section "roles") (kindIs "map" $value) -}}
{{- range $inner, $own := $value -}}
{{- if ne (toJson $own) (toJson (index $default $inner)) -}}
{{- $found = append $found (printf "roles.%s.%s" $key $inner) -}}
{{- end -}}
{{- end -}}
{{- else if ne (toJson $value) (toJson $default) -}}
{{- $found = append $found (printf "%s.%s" $section $key) -}}
{{- end -}}
{{- end -}}
{{ $found | toJson }}
{{- end }}
