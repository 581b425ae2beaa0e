// The real OPA's command line with a repository's own builtins, chosen by build tag. With FIELD_RECORD=FILE every call of
// one is appended to FILE, a JSON object a line, so that another evaluator can be given the same answers.
package main

import (
	"encoding/json"
	"os"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/cmd"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

type call struct {
	Name     string   `json:"name"`
	Operands []string `json:"operands"`
	// Absent where the builtin has no answer.
	Result string `json:"result,omitempty"`
}

var (
	mutex sync.Mutex
	log   *os.File
)

func main() {
	if path := os.Getenv("FIELD_RECORD"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			panic(err)
		}
		log = file
	}
	if err := cmd.RootCommand.Execute(); err != nil {
		os.Exit(1)
	}
}

func register(decl *rego.Function, answer topdown.BuiltinFunc) {
	ast.RegisterBuiltin(&ast.Builtin{Name: decl.Name, Decl: decl.Decl})
	topdown.RegisterBuiltinFunc(decl.Name, answer)
	recorded(decl.Name)
}

// Keeps the calls of a builtin that is registered.
func recorded(name string) {
	answer := topdown.GetBuiltin(name)
	arity := len(ast.BuiltinMap[name].Decl.FuncArgs().Args)
	topdown.RegisterBuiltinFunc(name, func(bctx topdown.BuiltinContext, operands []*ast.Term, give func(*ast.Term) error) error {
		var result *ast.Term
		err := answer(bctx, operands, func(term *ast.Term) error {
			result = term
			return give(term)
		})
		if log != nil {
			// The variable of the result may stand behind them.
			record(name, operands[:arity], result)
		}
		return err
	})
}

func record(name string, operands []*ast.Term, result *ast.Term) {
	line := call{Name: name, Operands: []string{}}
	for _, operand := range operands {
		line.Operands = append(line.Operands, text(operand))
	}
	if result != nil {
		line.Result = text(result)
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	mutex.Lock()
	defer mutex.Unlock()
	if _, err := log.Write(append(text, '\n')); err != nil {
		panic(err)
	}
}

// The term as `opa_value_parse` reads it: JSON, with sets and keys of any type.
func text(term *ast.Term) string {
	switch value := term.Value.(type) {
	case ast.String:
		quoted, err := json.Marshal(string(value))
		if err != nil {
			panic(err)
		}
		return string(quoted)
	case *ast.Array:
		parts := []string{}
		value.Foreach(func(item *ast.Term) { parts = append(parts, text(item)) })
		return "[" + strings.Join(parts, ",") + "]"
	case ast.Set:
		parts := []string{}
		value.Foreach(func(item *ast.Term) { parts = append(parts, text(item)) })
		if len(parts) == 0 {
			return "set()"
		}
		return "{" + strings.Join(parts, ",") + "}"
	case ast.Object:
		parts := []string{}
		value.Foreach(func(key, item *ast.Term) { parts = append(parts, text(key)+":"+text(item)) })
		return "{" + strings.Join(parts, ",") + "}"
	default:
		return term.String()
	}
}

func one(f rego.Builtin1) topdown.BuiltinFunc {
	return func(bctx rego.BuiltinContext, operands []*ast.Term, give func(*ast.Term) error) error {
		return given(give)(f(bctx, operands[0]))
	}
}

func two(f rego.Builtin2) topdown.BuiltinFunc {
	return func(bctx rego.BuiltinContext, operands []*ast.Term, give func(*ast.Term) error) error {
		return given(give)(f(bctx, operands[0], operands[1]))
	}
}

func given(give func(*ast.Term) error) func(*ast.Term, error) error {
	return func(term *ast.Term, err error) error {
		if err != nil || term == nil {
			return err
		}
		return give(term)
	}
}
