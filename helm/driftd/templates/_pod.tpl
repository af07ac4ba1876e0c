{{/*
What all pods of the chart have in common: no permissions in the cluster and none on the node. `placement` has the values
that select the node: those of the daemon are at the root, those of the dashboards in the section `dashboards`.
*/}}
{{- define "driftd.pod" -}}
{{- with .root -}}
serviceAccountName: {{ include "driftd.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
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
{{- with .placement.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "driftd.container" -}}
image: {{ include "driftd.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities: {drop: [ALL]}
  seccompProfile: {type: RuntimeDefault}
env:
  - {name: HOME, value: /tmp}
  - {name: PYTHONDONTWRITEBYTECODE, value: "1"}
{{- end }}
