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

{{- define "driftd.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
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
