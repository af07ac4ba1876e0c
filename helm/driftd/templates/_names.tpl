{{- define "driftd.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* 40 characters: with suffixes such as -dashboards, and those of a StatefulSet, a DNS label has at most 63. */}}
{{- define "driftd.fullname" -}}
{{- $name := include "driftd.name" . -}}
{{- $whole := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{ .Values.fullnameOverride | default $whole | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "driftd.selector" -}}
app.kubernetes.io/name: {{ include "driftd.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "driftd.labels" -}}
{{ include "driftd.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Labels and annotations of an object: those of the chart, `labels` and `annotations` of its own values, and the common ones. */}}
{{- define "driftd.metadata" -}}
labels:
  {{- toYaml (merge (include "driftd.labels" . | fromYaml) (.labels | default dict) .root.Values.commonLabels) | nindent 2 }}
{{- with merge dict (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "driftd.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{- $tag := $image.tag | default .Chart.AppVersion -}}
{{ $image.repository }}:{{ eq (include "driftd.isLake" .) "true" | ternary ($image.lakeTag | default (printf "%s-lake" $tag)) $tag }}
{{- end -}}
{{- end }}

{{- define "driftd.serviceAccount" -}}
{{- $own := .Values.serviceAccount.create | ternary (include "driftd.fullname" .) "default" -}}
{{ .Values.serviceAccount.name | default $own }}
{{- end }}

{{/* The ports as integers: Helm reads numbers in values as floats. */}}
{{- define "driftd.apiPort" -}}
{{ dig "api" "port" 8400 .Values.config | int }}
{{- end }}

{{- define "driftd.otlpPort" -}}
{{ dig "ingest" "otlp" "port" 4318 .Values.config | int }}
{{- end }}

{{- define "driftd.otlpGrpcPort" -}}
{{ dig "ingest" "otlp_grpc" "port" 4317 .Values.config | int }}
{{- end }}

{{/* HTTPS if the listener has a certificate. Probes do not verify it. */}}
{{- define "driftd.scheme" -}}
{{- $tls := .tls | default dict -}}
{{- $own := index $tls .listener | default dict -}}
{{- if and (or $own.cert_file $tls.cert_file) (dig "enabled" true $own) -}}
https
{{- else -}}
http
{{- end -}}
{{- end }}

{{- define "driftd.apiScheme" -}}
{{ include "driftd.scheme" (dict "tls" .Values.config.tls "listener" "api") }}
{{- end }}

{{- define "driftd.otlpScheme" -}}
{{ include "driftd.scheme" (dict "tls" .Values.config.tls "listener" "otlp") }}
{{- end }}

{{- define "driftd.otlpGrpcScheme" -}}
{{ include "driftd.scheme" (dict "tls" .Values.config.tls "listener" "otlp_grpc") }}
{{- end }}

{{- define "driftd.dashboardsSecret" -}}
{{ .Values.dashboards.existingSecret | default .Values.existingSecret }}
{{- end }}

{{/* The component of the pods that serve the API, and of those that receive OTLP, with their Service. */}}
{{- define "driftd.apiComponent" -}}
{{ eq (include "driftd.isLake" .) "true" | ternary "api" "daemon" }}
{{- end }}

{{- define "driftd.otlpComponent" -}}
{{ eq (include "driftd.isLake" .) "true" | ternary "ingest" "daemon" }}
{{- end }}

{{- define "driftd.otlpService" -}}
{{ include "driftd.fullname" . }}{{ eq (include "driftd.isLake" .) "true" | ternary "-otlp" "" }}
{{- end }}

{{/* The ports of OTLP, of a Service. */}}
{{- define "driftd.otlpPorts" -}}
- {name: otlp, port: {{ include "driftd.otlpPort" . }}, targetPort: otlp, appProtocol: {{ include "driftd.otlpScheme" . }}}
- {name: otlp-grpc, port: {{ include "driftd.otlpGrpcPort" . }}, targetPort: otlp-grpc, appProtocol: {{ eq (include "driftd.otlpGrpcScheme" .) "https" | ternary "https" "kubernetes.io/h2c" }}}
{{- end }}
