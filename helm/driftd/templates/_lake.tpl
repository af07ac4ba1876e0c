{{/* `true` if `config` names a lake, otherwise empty. */}}
{{- define "driftd.isLake" -}}
{{- $store := .Values.config.store | default dict -}}
{{- if or $store.url $store.url_file }}true{{ end -}}
{{- end }}

{{/* The roles that have a workload, as JSON: {"roles": [NAME]}. A role with null replicas has one. */}}
{{- define "driftd.roles" -}}
{{- $found := list -}}
{{- if include "driftd.isLake" . -}}
{{- range $name := list "ingest" "control" "work" "maintain" "api" -}}
{{- $role := index $.Values.roles $name -}}
{{- if or (include "driftd.scales" $role) (kindIs "invalid" $role.replicas) (gt (int $role.replicas) 0) -}}
{{- $found = append $found $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{ dict "roles" $found | toJson }}
{{- end }}

{{/* `true` if a role has a HorizontalPodAutoscaler. */}}
{{- define "driftd.scales" -}}
{{- if dig "autoscaling" "enabled" false . }}true{{ end -}}
{{- end }}

{{/*
The values of one role that place its pods, as JSON: its own, otherwise those at the root. Without any topology constraint its
pods spread over the nodes.
*/}}
{{- define "driftd.rolePlacement" -}}
{{- $placement := dict "initContainers" .root.Values.initContainers -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" -}}
{{- $_ := set $placement $key (index $.role $key | default (index $.root.Values $key)) -}}
{{- end -}}
{{- if not $placement.topologySpreadConstraints -}}
{{- $spread := dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway" "matchLabelKeys" (list "pod-template-hash") -}}
{{- $_ := set $placement "topologySpreadConstraints" (list $spread) -}}
{{- end -}}
{{ $placement | toJson }}
{{- end }}

{{/* The variables of one role, as JSON: {"extraEnv": [], "envFrom": []}. A variable of the role replaces that of the root. */}}
{{- define "driftd.roleVariables" -}}
{{- $names := list -}}
{{- range .role.extraEnv -}}{{- $names = append $names .name -}}{{- end -}}
{{- $env := list -}}
{{- range .root.Values.extraEnv -}}{{- if not (has .name $names) -}}{{- $env = append $env . -}}{{- end -}}{{- end -}}
{{ dict "extraEnv" (concat $env (.role.extraEnv | default list)) "envFrom" .root.Values.envFrom | toJson }}
{{- end }}

{{/* The mounts and volumes of every pod with the configuration of a lake. `configMap` is the name of the one with driftd.yaml. */}}
{{- define "driftd.lakeMounts" -}}
- {name: data, mountPath: /var/lib/driftd}
{{- if .Values.roles.dataClaim }}
- {name: lake, mountPath: /srv/driftd/lake}
{{- end }}
{{- if .Values.roles.sharedClaim }}
- {name: shared, mountPath: /srv/driftd/shared}
{{- end }}
- {name: config, mountPath: /etc/driftd, readOnly: true}
{{- if .Values.existingSecret }}
- {name: secrets, mountPath: /run/secrets/driftd, readOnly: true}
{{- end }}
- {name: tmp, mountPath: /tmp}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "driftd.lakeVolumes" -}}
{{- $configMap := .configMap -}}
{{- with .root -}}
- name: config
  configMap: {name: {{ $configMap }}}
{{- with .Values.existingSecret }}
- name: secrets
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
- name: tmp
  emptyDir: {sizeLimit: {{ .Values.tmpSize }}}
- name: data
  emptyDir: {sizeLimit: {{ .Values.roles.workSize }}}
{{- with .Values.roles.dataClaim }}
- name: lake
  persistentVolumeClaim: {claimName: {{ . }}}
{{- end }}
{{- with .Values.roles.sharedClaim }}
- name: shared
  persistentVolumeClaim: {claimName: {{ . }}}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}

{{/* The labels of the pods of every role. */}}
{{- define "driftd.lakeSelector" -}}
app.kubernetes.io/name: {{ include "driftd.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
driftd/process: role
{{- end }}
