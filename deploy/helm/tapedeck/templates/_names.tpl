{{- define "tapedeck.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "tapedeck.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tapedeck.labels" -}}
{{ include "tapedeck.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "tapedeck.requireStores" -}}
{{- $all := and .Values.stores.database .Values.stores.bucket .Values.stores.clickhouse -}}
{{- if and (gt (int .Values.replicas) 1) (not $all) -}}
{{- fail "Several replicas share database, bucket and ClickHouse: set all of stores to true, and the settings that name them." -}}
{{- end -}}
{{- if and (or .Values.stores.database .Values.stores.bucket .Values.stores.clickhouse) (not .Values.secretName) -}}
{{- fail "Shared stores have passwords: set secretName to a secret with the settings TAPEDECK_SECRET, TAPEDECK_DATABASE_URL and the like." -}}
{{- end -}}
{{- end -}}
