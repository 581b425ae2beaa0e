//go:build conforma

package main

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/types"
	"github.com/package-url/packageurl-go"
)

// Those of the command line that runs the policies. What they ask a registry has no answer here: tests replace it.
func init() {
	for name, arity := range map[string]int{
		"ec.oci.blob":                    1,
		"ec.oci.blob_files":              2,
		"ec.oci.descriptor":              1,
		"ec.oci.image_manifest":          1,
		"ec.oci.image_manifests":         1,
		"ec.oci.image_referrers":         1,
		"ec.oci.image_tag_refs":          1,
		"ec.sigstore.verify_attestation": 2,
		"ec.sigstore.verify_image":       2,
	} {
		register(anything(name, arity), func(rego.BuiltinContext, []*ast.Term, func(*ast.Term) error) error { return nil })
	}
	register(anything("ec.purl.is_valid", 1), one(func(_ rego.BuiltinContext, purl *ast.Term) (*ast.Term, error) {
		text, isText := purl.Value.(ast.String)
		_, err := packageurl.FromString(string(text))
		return ast.InternedTerm(isText && err == nil), nil
	}))
	register(anything("ec.purl.parse", 1), one(func(_ rego.BuiltinContext, purl *ast.Term) (*ast.Term, error) {
		text, isText := purl.Value.(ast.String)
		parsed, err := packageurl.FromString(string(text))
		if !isText || err != nil {
			return nil, nil
		}
		member := func(key, value string) [2]*ast.Term { return ast.Item(ast.StringTerm(key), ast.StringTerm(value)) }
		qualifiers := []*ast.Term{}
		for _, q := range parsed.Qualifiers {
			qualifiers = append(qualifiers, ast.ObjectTerm(member("key", q.Key), member("value", q.Value)))
		}
		return ast.ObjectTerm(
			member("type", parsed.Type),
			member("namespace", parsed.Namespace),
			member("name", parsed.Name),
			member("version", parsed.Version),
			ast.Item(ast.StringTerm("qualifiers"), ast.ArrayTerm(qualifiers...)),
			member("subpath", parsed.Subpath),
		), nil
	}))
}

func anything(name string, arity int) *rego.Function {
	args := []types.Type{}
	for range arity {
		args = append(args, types.A)
	}
	return &rego.Function{Name: name, Decl: types.NewFunction(args, types.A)}
}
