{{/*
Every secret that `config` sets, as JSON: {"found": [{"key", "plain", "file"}]}. `plain` is true when the value itself is
there, `file` is the path that is there instead. A test compares the list with the settings of the daemon.
*/}}
{{- define "driftd.secrets" -}}
{{- $found := list -}}
{{- range $section, $key := dict "targets" "api_key" "sets" "key" "receivers" "url" -}}
  {{- range $name, $settings := index $.Values.config $section -}}
    {{- $path := printf "config.%s.%s.%s" $section $name $key -}}
    {{- $found = concat $found (include "driftd.secret" (dict "settings" $settings "key" $key "path" $path) | fromJson).found -}}
  {{- end -}}
{{- end -}}
{{- range $name, $receiver := .Values.config.receivers -}}
  {{- range $key := list "password" "routing_key" "api_key" "webhook_secret" "signing_secret" "token" "bearer_token" "service_urls" -}}
    {{- $at := dict "settings" $receiver "key" $key "path" (printf "config.receivers.%s.%s" $name $key) -}}
    {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
  {{- end -}}
{{- end -}}
{{- range $name, $set := .Values.config.sets -}}
  {{- range $index, $old := $set.old_keys -}}
    {{- $at := dict "settings" $old "key" "key" "path" (printf "config.sets.%s.old_keys[%d].key" $name $index) -}}
    {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
  {{- end -}}
{{- end -}}
{{- range $name, $source := dig "ingest" "kafka" dict .Values.config -}}
  {{- range $key := list "password" "certificate_password" -}}
    {{- $at := dict "settings" $source "key" $key "path" (printf "config.ingest.kafka.%s.%s" $name $key) -}}
    {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
  {{- end -}}
{{- end -}}
{{- range $name, $source := dig "ingest" "results" dict .Values.config -}}
  {{- with $source.object_store -}}
    {{- $at := dict "settings" . "key" "secret_access_key" "path" (printf "config.ingest.results.%s.object_store.secret_access_key" $name) -}}
    {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
  {{- end -}}
{{- end -}}
{{- with .Values.config.store -}}
  {{- $at := dict "settings" . "key" "url" "path" "config.store.url" -}}
  {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
  {{- with .object_store -}}
    {{- range $key := list "secret_access_key" "session_token" -}}
      {{- $at := dict "settings" $.Values.config.store.object_store "key" $key "path" (printf "config.store.object_store.%s" $key) -}}
      {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- with .Values.config.telemetry -}}
  {{- $at := dict "settings" . "key" "otlp_headers" "path" "config.telemetry.otlp_headers" -}}
  {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
{{- end -}}
{{- with .Values.config.redaction -}}
  {{- $at := dict "settings" . "key" "salt" "path" "config.redaction.salt" -}}
  {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
{{- end -}}
{{- range $index, $token := dig "api" "tokens" list .Values.config -}}
  {{- with $token.token_file -}}
    {{- $found = append $found (dict "key" (printf "config.api.tokens[%d].token_file" $index) "file" .) -}}
  {{- end -}}
{{- end -}}
{{- with dig "api" "oidc" dict .Values.config -}}
  {{- $at := dict "settings" . "key" "client_secret" "path" "config.api.oidc.client_secret" -}}
  {{- $found = concat $found (include "driftd.secret" $at | fromJson).found -}}
{{- end -}}
{{ dict "found" $found | toJson }}
{{- end }}

{{- define "driftd.secret" -}}
{{- $found := list -}}
{{- if hasKey .settings .key -}}
  {{- $found = append $found (dict "key" .path "plain" true) -}}
{{- end -}}
{{- with index .settings (printf "%s_file" .key) -}}
  {{- $found = append $found (dict "key" (printf "%s_file" $.path) "file" .) -}}
{{- end -}}
{{ dict "found" $found | toJson }}
{{- end }}
