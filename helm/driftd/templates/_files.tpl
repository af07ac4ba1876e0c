{{/* The files in /etc/driftd. The pod has their checksum, so that it restarts after a change of them and of nothing else. */}}
{{- define "driftd.files" -}}
# JSON is YAML that every parser reads alike: the type of bare words such as = or 1e3 is not ambiguous.
driftd.yaml: |
  {{- include "driftd.config" . | nindent 2 }}
{{- range $name, $text := .Values.configFiles }}
{{ $name | quote }}: {{ $text | quote }}
{{- end }}
{{- end }}

{{/* The content of driftd.yaml, as JSON. A lake has no file, and its processes have a folder of the chart for their own files. */}}
{{- define "driftd.config" -}}
{{- $config := .Values.config -}}
{{- if include "driftd.isLake" . -}}
{{- $folder := empty .Values.roles.sharedClaim | ternary "/var/lib/driftd" "/srv/driftd/shared" -}}
{{- $store := merge (dict) (omit $config.store "path") (dict "work_folder" $folder) -}}
{{- $config = merge (dict "store" $store) (omit $config "store") -}}
{{- end -}}
{{ toPrettyJson $config }}
{{- end }}
