//go:build trivy

package main

import (
	checks "github.com/aquasecurity/trivy-checks/pkg/rego"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/types"
)

// The checks' own builtins as they register them, and stand-ins for the two of the scanner that runs them. A result is its
// message and the place of its cause: two of one message and place are one.
func init() {
	checks.RegisterBuiltins()
	for _, name := range []string{"sh.parse_commands", "cidr.count_addresses", "cidr.is_public", "squealer.scan_string"} {
		recorded(name)
	}
	register(&rego.Function{
		Name: "result.new",
		Decl: types.NewFunction(types.Args(types.S, types.A), types.A),
	}, two(func(_ rego.BuiltinContext, message, cause *ast.Term) (*ast.Term, error) {
		place := ast.ObjectTerm()
		if metadata := cause.Get(ast.StringTerm("__defsec_metadata")); metadata != nil {
			place = metadata
		}
		return ast.ObjectTerm(
			ast.Item(ast.StringTerm("msg"), message),
			ast.Item(ast.StringTerm("metadata"), place),
		), nil
	}))
	register(&rego.Function{
		Name: "isManaged",
		Decl: types.NewFunction(types.Args(types.A), types.B),
	}, one(func(_ rego.BuiltinContext, resource *ast.Term) (*ast.Term, error) {
		managed := ast.InternedTerm(true)
		if metadata := resource.Get(ast.StringTerm("__defsec_metadata")); metadata != nil {
			if said := metadata.Get(ast.StringTerm("managed")); said != nil {
				managed = said
			}
		}
		return managed, nil
	}))
}
