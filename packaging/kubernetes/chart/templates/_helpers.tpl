{{- define "name" -}}
{{ printf "%s" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "selector" -}}
app.kubernetes.io/name: wastenot-watch
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "tokenSecret" -}}
{{ .Values.metrics.existingSecret | default (printf "%s-metrics" (include "name" .)) }}
{{- end }}
