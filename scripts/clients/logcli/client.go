// +build never

// Package logcli imports Loki's client so that it is compiled here; this module contains no other code.
package logcli

import _ "github.com/grafana/loki/pkg/logcli/client"
