// Reads questions from the standard input, `[{"entrypoint": …, "input": …}]`, and writes their result sets, as OPA's Go package
// decides them from a bundle.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/open-policy-agent/opa/v1/rego"
)

type question struct {
	Entrypoint string `json:"entrypoint"`
	Input      any    `json:"input"`
}

type answer struct {
	Result any `json:"result"`
}

func main() {
	var questions []question
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	if err := decoder.Decode(&questions); err != nil {
		log.Fatal(err)
	}
	prepared := map[string]rego.PreparedEvalQuery{}
	answers := [][]answer{}
	for _, q := range questions {
		query, found := prepared[q.Entrypoint]
		if !found {
			var err error
			name := "data." + strings.ReplaceAll(q.Entrypoint, "/", ".")
			query, err = rego.New(rego.Query(name), rego.LoadBundle(os.Args[1])).PrepareForEval(context.Background())
			if err != nil {
				log.Fatal(err)
			}
			prepared[q.Entrypoint] = query
		}
		results, err := query.Eval(context.Background(), rego.EvalInput(q.Input))
		if err != nil {
			log.Fatal(err)
		}
		values := []answer{}
		for _, result := range results {
			values = append(values, answer{Result: result.Expressions[0].Value})
		}
		answers = append(answers, values)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
