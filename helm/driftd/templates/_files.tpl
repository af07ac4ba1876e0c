{{/* The files in /etc/driftd. The pod has their checksum, so that it restarts after a change of them and of nothing else. */}}
{{- define "driftd.files" -}}
# JSON is YAML that every parser reads alike: the type of bare words such as = or 1e3 is not ambiguous.
driftd.yaml: |
  {{- toPrettyJson .Values.config | nindent 2 }}
{{- range $name, $text := .Values.configFiles }}
{{ $name | quote }}: {{ $text | quote }}
{{- end }}
{{- end }}
