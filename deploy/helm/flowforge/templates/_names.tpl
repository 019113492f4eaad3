{{- define "flowforge.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "flowforge.selector" -}}
app.kubernetes.io/name: flowforge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flowforge.labels" -}}
{{ include "flowforge.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "flowforge.claim" -}}
{{ .Values.storage.existingClaim | default (include "flowforge.name" .) }}
{{- end }}
