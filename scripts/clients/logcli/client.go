// +build never

// Package logcli imports what is compiled here, because the module itself contains only a program.
package logcli

import _ "github.com/grafana/loki/pkg/logcli/client"
