{{/* One line for each problem of the values; empty if there is none. */}}
{{- define "driftd.problems" -}}
{{- include "driftd.problems.shape" . -}}
{{- include "driftd.problems.network" . -}}
{{- include "driftd.problems.secrets" . -}}
{{- include "driftd.problems.store" . -}}
{{- include "driftd.problems.files" . -}}
{{- include "driftd.problems.ingress" . -}}
{{- include "driftd.problems.egress" . -}}
{{- include "driftd.problems.sandbox" . -}}
{{- include "driftd.problems.pods" . -}}
{{- end }}

{{- define "driftd.problems.shape" -}}
{{- if and (include "driftd.isLake" .) (ne (int .Values.replicas) 1) }}
replicas is {{ .Values.replicas }}: with a lake each role has its own number; set roles.ingest.replicas, roles.api.replicas and others.
{{- else if ne (int .Values.replicas) 1 }}
replicas is {{ .Values.replicas }}: driftd runs as exactly one process, because a second one cannot open the DuckDB file; set replicas: 1 and raise its resources. To pause it, scale the StatefulSet to 0 with kubectl.
{{- end }}
{{- $labels := dict "commonLabels" .Values.commonLabels "podLabels" .Values.podLabels "dashboards.podLabels" .Values.dashboards.podLabels }}
{{- range $role := list "ingest" "control" "work" "maintain" "api" }}
{{- $_ := set $labels (printf "roles.%s.podLabels" $role) (index $.Values.roles $role).podLabels }}
{{- end }}
{{- range $key, $labels := $labels }}
{{- range $name, $_ := $labels }}
{{- if regexMatch "^(app\\.kubernetes\\.io/(name|instance|component|version|managed-by)|helm\\.sh/chart|driftd/process)$" $name }}
{{ $key }} sets {{ $name }}, which the chart sets itself; choose another name.
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
{{- if and .Values.dashboards.enabled .Values.dashboards.tokenKey (not .Values.dashboards.existingSecret) }}
{{- $needs = append $needs "dashboards.tokenKey" }}
{{- end }}
{{- if and .Values.dashboards.enabled .Values.dashboards.tokenKey (not .Values.dashboards.allowReveal) }}
{{- range dig "api" "tokens" list .Values.config }}
{{- if and (eq (.token_file | default "") (printf "/run/secrets/driftd/%s" $.Values.dashboards.tokenKey)) (or (has "reveal" .roles) (has "admin" .roles)) }}
dashboards.tokenKey is the token {{ .name }} with the roles {{ join ", " .roles }}: everybody who reaches the pages would have them without a login; use a token with the role read, or set dashboards.allowReveal: true.
{{- end }}
{{- end }}
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

{{/* A forgotten exception is found here, and not by an alert that nobody receives. */}}
{{- define "driftd.problems.egress" -}}
{{- $egress := .Values.networkPolicy.egress -}}
{{- if and .Values.networkPolicy.enabled $egress.enabled }}
{{- $uses := list
  (dict "config" "targets" "found" .Values.config.targets "egress" "models")
  (dict "config" "ingest.kafka" "found" (dig "ingest" "kafka" dict .Values.config) "egress" "kafka")
  (dict "config" "receivers" "found" .Values.config.receivers "egress" "receivers")
  (dict "config" "api.oidc" "found" (dig "api" "oidc" dict .Values.config) "egress" "oidc")
  (dict "config" "store.url_file" "found" (dig "store" "url_file" "" .Values.config) "egress" "postgresql")
  (dict "config" "store.data" "found" (hasPrefix "s3://" (dig "store" "data" "" .Values.config)) "egress" "objects")
  (dict "config" "sandbox.namespace" "found" (include "driftd.sandbox" .) "egress" "kubernetes")
  (dict "config" "telemetry.otlp_endpoint" "found" (dig "telemetry" "otlp_endpoint" "" .Values.config) "egress" "other") }}
{{- range $uses }}
{{- if and .found (not (index $egress .egress)) }}
networkPolicy denies the connections of config.{{ .config }}, because networkPolicy.egress.{{ .egress }} is empty; add a rule, {to: [{ipBlock: {cidr: 203.0.113.0/24}}], ports: [443]}, or set networkPolicy.egress.enabled: false.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "driftd.problems.sandbox" -}}
{{- if eq (include "driftd.sandbox" .) .Release.Namespace }}
config.sandbox.namespace is {{ .Release.Namespace }}, the namespace of the release: the sandbox denies all traffic of its namespace; create another one for it.
{{- end }}
{{- end }}

{{- define "driftd.problems.pods" -}}
{{- range $section, $file := dict "prometheusRule" "files/driftd-alerts.yaml" "grafanaDashboard" "files/driftd-dashboard.json" }}
{{- if and (index $.Values $section).enabled (not ($.Files.Get $file)) }}
{{ $section }}.enabled is true and needs {{ $file }}, which this copy of the chart does not have; use a complete copy.
{{- end }}
{{- end }}
{{- $parts := dict "" .Values "dashboards." .Values.dashboards }}
{{- range $role := list "ingest" "control" "work" "maintain" "api" }}
{{- $_ := set $parts (printf "roles.%s." $role) (index $.Values.roles $role) }}
{{- end }}
{{- range $path, $part := $parts }}
{{- $volumes := list "tmp" (eq $path "" | ternary "data" "secret") (eq $path "" | ternary "config" "secret") (eq $path "" | ternary "secrets" "secret") }}
{{- if and (eq $path "") (include "driftd.isLake" $) }}
{{- $volumes = concat $volumes (list "lake" "shared") }}
{{- end }}
{{- range $part.extraVolumes }}
{{- if has .name $volumes }}
{{ $path }}extraVolumes contains {{ .name }}, the name of a volume of the chart; choose another name.
{{- end }}
{{- $volumes = append $volumes .name }}
{{- end }}
{{- range $part.extraVolumeMounts }}
{{- if not (has .name $volumes) }}
{{ $path }}extraVolumeMounts contains {{ .name }}, which is not in {{ $path }}extraVolumes; add the volume.
{{- end }}
{{- if has (trimSuffix "/" .mountPath) (concat (list "/tmp" "/var/lib/driftd" "/etc/driftd" "/run/secrets/driftd") (include "driftd.isLake" $ | empty | ternary list (list "/srv/driftd/lake" "/srv/driftd/shared"))) }}
{{ $path }}extraVolumeMounts mounts {{ .name }} on {{ .mountPath }}, where the chart mounts its own volume; choose another path.
{{- end }}
{{- end }}
{{- range $part.extraEnv }}
{{- if has .name (list "HOME" "PYTHONDONTWRITEBYTECODE") }}
{{ $path }}extraEnv sets {{ .name }}, which the chart sets itself; remove it.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "driftd.problems.files" -}}
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
{{- $routes := .Values.gateway.hosts -}}
{{- if .Values.gateway.enabled }}
{{- if not (or $routes.dashboards $routes.api $routes.otlp $routes.otlpGrpc) }}
gateway.enabled is true, but no host of gateway.hosts is set; set at least one.
{{- end }}
{{- if not .Values.gateway.parentRefs }}
gateway.enabled is true, but gateway.parentRefs is empty; name the Gateway: [{name: NAME, namespace: NAMESPACE}].
{{- end }}
{{- if and $routes.dashboards (not .Values.dashboards.enabled) }}
gateway.hosts.dashboards is {{ $routes.dashboards }}, but dashboards.enabled is false; change one of them.
{{- end }}
{{- end }}
{{- if .Values.ingress.enabled }}
{{- if not (or $hosts.dashboards $hosts.api $hosts.otlp) }}
ingress.enabled is true, but no host of ingress.hosts is set; set at least one.
{{- end }}
{{- if and $hosts.dashboards (not .Values.dashboards.enabled) }}
ingress.hosts.dashboards is {{ $hosts.dashboards }}, but dashboards.enabled is false; change one of them.
{{- end }}
{{- end }}
{{- end }}
