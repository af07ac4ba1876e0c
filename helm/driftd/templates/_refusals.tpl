{{/* One line for each problem of the values; empty if there is none. */}}
{{- define "driftd.problems" -}}
{{- include "driftd.problems.shape" . -}}
{{- include "driftd.problems.network" . -}}
{{- include "driftd.problems.secrets" . -}}
{{- include "driftd.problems.files" . -}}
{{- include "driftd.problems.ingress" . -}}
{{- end }}

{{- define "driftd.problems.shape" -}}
{{- if ne (int .Values.replicas) 1 }}
replicas is {{ .Values.replicas }}: driftd runs as exactly one process, because a second one cannot open the DuckDB file; set replicas: 1 and raise its resources. To pause it, scale the StatefulSet to 0 with kubectl.
{{- end }}
{{- range $key, $labels := dict "podLabels" .Values.podLabels "dashboards.podLabels" .Values.dashboards.podLabels }}
{{- range $name, $_ := $labels }}
{{- if regexMatch "^(app\\.kubernetes\\.io|helm\\.sh)/" $name }}
{{ $key }} sets {{ $name }}, which the chart uses to select the pods; choose another name.
{{- end }}
{{- end }}
{{- end }}
{{- if not .Values.image.repository }}
image.repository is empty: driftd publishes no image; build one (README.md of the chart) and set it.
{{- end }}
{{- end }}

{{- define "driftd.problems.network" -}}
{{- $config := .Values.config -}}
{{- if not (dig "api" "tokens" list $config) }}
config.api.tokens is empty: the daemon does not listen on loopback and needs tokens; put a token into existingSecret and reference it: {name: NAME, token_file: /run/secrets/driftd/KEY, roles: [ingest]}.
{{- end }}
{{- range $key, $host := dict "api" (dig "api" "host" "127.0.0.1" $config) "ingest.otlp" (dig "ingest" "otlp" "host" "127.0.0.1" $config) "ingest.otlp_grpc" (dig "ingest" "otlp_grpc" "host" "127.0.0.1" $config) }}
{{- if not (has $host (list "0.0.0.0" "::")) }}
config.{{ $key }}.host is {{ $host }}: Services and probes use the address of the pod; set 0.0.0.0 (or "::" for IPv6).
{{- end }}
{{- end }}
{{- range $key, $port := dict "api" (include "driftd.apiPort" .) "ingest.otlp" (include "driftd.otlpPort" .) "ingest.otlp_grpc" (include "driftd.otlpGrpcPort" .) }}
{{- if lt (int $port) 1 }}
config.{{ $key }}.port is {{ $port }}: a Service needs a fixed port; set one from 1 to 65535.
{{- end }}
{{- end }}
{{- end }}

{{- define "driftd.problems.secrets" -}}
{{- $needs := list -}}
{{- range (include "driftd.secrets" . | fromJson).found }}
{{- if .plain }}
{{ .key }} would be readable in a ConfigMap; put it into existingSecret and reference it: {{ splitList "." .key | last }}_file: /run/secrets/driftd/KEY.
{{- else if not (hasPrefix "/run/secrets/driftd/" .file) }}
{{ .key }} is {{ .file }}: the chart mounts secrets only in /run/secrets/driftd; put it into existingSecret and set /run/secrets/driftd/KEY.
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
{{- if and .Values.dashboards.enabled .Values.dashboards.tokenKey }}
{{- $needs = append $needs "dashboards.tokenKey" }}
{{- end }}
{{- with dig "api" "oidc" dict .Values.config }}
{{- if not (hasPrefix "/run/secrets/driftd/" (.client_secret_file | default "")) }}
config.api.oidc.client_secret_file is not in /run/secrets/driftd: the dashboards need the secret of the client, as a key of existingSecret.
{{- end }}
{{- end }}
{{- if .Values.serviceMonitor.enabled }}
{{- $needs = append $needs "serviceMonitor.tokenKey" }}
{{- end }}
{{- if and $needs (not .Values.existingSecret) }}
existingSecret is empty, and {{ join ", " $needs }} {{ eq (len $needs) 1 | ternary "needs" "need" }} it: create a Secret in the namespace of the release (kubectl create secret generic NAME --from-file=KEY=FILE) and set its name.
{{- end }}
{{- end }}

{{- define "driftd.problems.files" -}}
{{- $path := dig "store" "path" "data/driftd.duckdb" .Values.config }}
{{- if not (hasPrefix "/var/lib/driftd/" $path) }}
config.store.path is {{ $path }}: only the volume /var/lib/driftd is persistent; set a file in it.
{{- end }}
{{- if hasKey .Values.configFiles "driftd.yaml" }}
configFiles contains driftd.yaml, which the chart renders from config; set config instead.
{{- end }}
{{- range $name, $target := .Values.config.targets }}
{{- range $key := list "system_prompt_file" "template_file" "body_file" }}
{{- with index $target $key }}
{{- if not (or (isAbs .) (hasKey $.Values.configFiles (clean .))) }}
config.targets.{{ $name }}.{{ $key }} is {{ . }}, which is not in configFiles; add its text: configFiles: {"{{ base . }}": TEXT}.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "driftd.problems.ingress" -}}
{{- $hosts := .Values.ingress.hosts -}}
{{- if .Values.ingress.enabled }}
{{- if not (or $hosts.dashboards $hosts.api $hosts.otlp) }}
ingress.enabled is true, but no host of ingress.hosts is set; set at least one.
{{- end }}
{{- if and $hosts.dashboards (not .Values.dashboards.enabled) }}
ingress.hosts.dashboards is {{ $hosts.dashboards }}, but dashboards.enabled is false; change one of them.
{{- end }}
{{- end }}
{{- end }}
