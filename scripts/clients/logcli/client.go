// +build never

// Package logcli names what is compiled here: the module has packages of its own no more than a program.
package logcli

import _ "github.com/grafana/loki/pkg/logcli/client"
