{{/* The namespace of the Jobs of config.sandbox, empty without Jobs. */}}
{{- define "driftd.sandbox" -}}
{{- if eq (dig "sandbox" "kind" "bubblewrap" .Values.config) "kubernetes" -}}
{{ dig "sandbox" "namespace" "" .Values.config }}
{{- end -}}
{{- end }}

{{/* `true` if the pods of a component score replies, which run as Jobs: `of` has root and component. */}}
{{- define "driftd.createsJobs" -}}
{{- if and (include "driftd.sandbox" .root) (has .component (list "daemon" "control" "work")) }}true{{ end -}}
{{- end }}

{{- define "driftd.sandboxMounts" -}}
{{- if include "driftd.createsJobs" . }}
- {name: kubernetes, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end }}
{{- end }}

{{- define "driftd.sandboxVolumes" -}}
{{- if include "driftd.createsJobs" . }}
- name: kubernetes
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: {path: token, expirationSeconds: 3600}
      - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
{{- end }}
{{- end }}
