{{/*
What all pods of the chart have in common: no permissions in the cluster and none on the node. `placement` has the values
that select the node: those of the daemon are at the root, those of the dashboards in the section `dashboards`, and those of a role in its
section. `account` is a service account, if it is not that of the release.
*/}}
{{- define "driftd.pod" -}}
{{- $of := . -}}
{{- with .root -}}
serviceAccountName: {{ $of.account | default (include "driftd.serviceAccount" .) }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .Values.runAs.user }}
  runAsUser: {{ int64 . }}
  {{- end }}
  {{- with .Values.runAs.group }}
  runAsGroup: {{ int64 . }}
  fsGroup: {{ int64 . }}
  {{- end }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}
{{- with .placement.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .placement.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .placement.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .placement.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{ toYaml (merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" (include "driftd.selector" $of | fromYaml)))) | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- with .placement.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .placement.initContainers }}
initContainers:
  {{- include "driftd.otherContainers" . | trim | nindent 2 }}
{{- end }}
{{- end }}

{{- define "driftd.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* Containers of the values: restricted, unless they have a securityContext of their own. */}}
{{- define "driftd.otherContainers" -}}
{{- range . }}
- {{ toYaml (merge (deepCopy .) (dict "securityContext" (include "driftd.restricted" . | fromYaml))) | nindent 2 | trim }}
{{- end }}
{{- end }}

{{/* `extra` has the values extraEnv and envFrom. */}}
{{- define "driftd.container" -}}
image: {{ include "driftd.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "driftd.restricted" . | nindent 2 }}
env:
  - {name: HOME, value: /tmp}
  - {name: PYTHONDONTWRITEBYTECODE, value: "1"}
  {{- with .extra.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .extra.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "driftd.probes" -}}
{{- $scheme := include "driftd.apiScheme" . | upper -}}
# /healthz checks the process, /readyz the database and the loops; neither checks other systems.
startupProbe:
  httpGet: {path: /healthz, port: api, scheme: {{ $scheme }}}
  periodSeconds: 5
  failureThreshold: {{ div (int .Values.startupTimeoutSeconds) 5 }}
livenessProbe:
  httpGet: {path: /healthz, port: api, scheme: {{ $scheme }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: api, scheme: {{ $scheme }}}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
