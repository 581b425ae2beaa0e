//go:build regal

package main

import "github.com/open-policy-agent/regal/pkg/builtins"

func init() {
	// Ours has no parser in the module: a host supplies one.
	recorded("rego.parse_module")
	register(builtins.RegalParseModuleMeta, two(builtins.RegalParseModule))
	register(builtins.RegalLastMeta, one(builtins.RegalLast))
	register(builtins.RegalIsFormattedMeta, two(builtins.RegalIsFormatted))
}
