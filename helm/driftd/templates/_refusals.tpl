{{/* One line for each thing that would not run, or not safely; empty when all is well. */}}
{{- define "driftd.problems" -}}
{{- include "driftd.problems.shape" . -}}
{{- include "driftd.problems.network" . -}}
{{- include "driftd.problems.secrets" . -}}
{{- include "driftd.problems.files" . -}}
{{- include "driftd.problems.ingress" . -}}
{{- end }}

{{- define "driftd.problems.shape" -}}
{{- if ne (int .Values.replicas) 1 }}
replicas is {{ .Values.replicas }}: driftd runs as exactly one process, because one process owns the DuckDB file and a second could not open it; set replicas: 1 and give that one more resources. To pause it, scale the StatefulSet to 0 with kubectl.
{{- end }}
{{- range $key, $labels := dict "podLabels" .Values.podLabels "dashboards.podLabels" .Values.dashboards.podLabels }}
{{- range $name, $_ := $labels }}
{{- if regexMatch "^(app\\.kubernetes\\.io|helm\\.sh)/" $name }}
{{ $key }} sets {{ $name }}, which is the chart's own and selects the pods; take another name.
{{- end }}
{{- end }}
{{- end }}
{{- if not .Values.image.repository }}
image.repository is empty: driftd publishes no image; build one as the chart's README says and name it.
{{- end }}
{{- end }}

{{- define "driftd.problems.network" -}}
{{- $config := .Values.config -}}
{{- if not (dig "api" "tokens" list $config) }}
config.api.tokens is empty: the daemon listens beyond loopback here and refuses to start without tokens; put a token into existingSecret and name it: {name: NAME, token_file: /run/secrets/driftd/KEY, roles: [ingest]}.
{{- end }}
{{- range $key, $host := dict "api" (dig "api" "host" "127.0.0.1" $config) "ingest.otlp" (dig "ingest" "otlp" "host" "127.0.0.1" $config) "ingest.otlp_grpc" (dig "ingest" "otlp_grpc" "host" "127.0.0.1" $config) }}
{{- if not (has $host (list "0.0.0.0" "::")) }}
config.{{ $key }}.host is {{ $host }}: Services and probes reach the pod at its own address; set 0.0.0.0 (or "::" for IPv6).
{{- end }}
{{- end }}
{{- range $key, $port := dict "api" (include "driftd.apiPort" .) "ingest.otlp" (include "driftd.otlpPort" .) "ingest.otlp_grpc" (include "driftd.otlpGrpcPort" .) }}
{{- if lt (int $port) 1 }}
config.{{ $key }}.port is {{ $port }}: a Service needs a port that stays; set one from 1 to 65535.
{{- end }}
{{- end }}
{{- end }}

{{- define "driftd.problems.secrets" -}}
{{- $needs := list -}}
{{- range (include "driftd.secrets" . | fromJson).found }}
{{- if .plain }}
{{ .key }} would stand readable in a ConfigMap; put it into existingSecret and name it: {{ splitList "." .key | last }}_file: /run/secrets/driftd/KEY.
{{- else if not (hasPrefix "/run/secrets/driftd/" .file) }}
{{ .key }} is {{ .file }}: the chart mounts secrets below /run/secrets/driftd alone; put it into existingSecret and name /run/secrets/driftd/KEY.
{{- else }}
{{- $needs = append $needs .key }}
{{- end }}
{{- end }}
{{- range $name, $target := .Values.config.targets }}
{{- range $key := list "system_prompt_file" "template_file" "body_file" }}
{{- if hasPrefix "/run/secrets/driftd/" (index $target $key | default "") }}
{{- $needs = append $needs (printf "config.targets.%s.%s" $name $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.dashboards.enabled }}
{{- $needs = append $needs "dashboards.tokenKey" }}
{{- end }}
{{- if .Values.serviceMonitor.enabled }}
{{- $needs = append $needs "serviceMonitor.tokenKey" }}
{{- end }}
{{- if and $needs (not .Values.existingSecret) }}
existingSecret is empty, and {{ join ", " $needs }} {{ eq (len $needs) 1 | ternary "needs" "need" }} it: make a Secret in the release's namespace (kubectl create secret generic NAME --from-file=KEY=FILE) and name it.
{{- end }}
{{- end }}

{{- define "driftd.problems.files" -}}
{{- $path := dig "store" "path" "data/driftd.duckdb" .Values.config }}
{{- if not (hasPrefix "/var/lib/driftd/" $path) }}
config.store.path is {{ $path }}: only /var/lib/driftd is the volume that outlives the pod; set a file below it.
{{- end }}
{{- if hasKey .Values.configFiles "driftd.yaml" }}
configFiles names driftd.yaml, which is rendered from config; set config instead.
{{- end }}
{{- range $name, $target := .Values.config.targets }}
{{- range $key := list "system_prompt_file" "template_file" "body_file" }}
{{- with index $target $key }}
{{- if not (or (isAbs .) (hasKey $.Values.configFiles (clean .))) }}
config.targets.{{ $name }}.{{ $key }} is {{ . }}, which is not among configFiles; put its text there: configFiles: {"{{ base . }}": TEXT}.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "driftd.problems.ingress" -}}
{{- $hosts := .Values.ingress.hosts -}}
{{- if .Values.ingress.enabled }}
{{- if not (or $hosts.dashboards $hosts.api $hosts.otlp) }}
ingress.enabled is true, and none of ingress.hosts is set; name at least one host.
{{- end }}
{{- if and $hosts.dashboards (not .Values.dashboards.enabled) }}
ingress.hosts.dashboards is {{ $hosts.dashboards }}, and dashboards.enabled is false; turn one of them.
{{- end }}
{{- end }}
{{- end }}
