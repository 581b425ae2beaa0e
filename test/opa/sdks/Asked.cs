// Reads questions from the standard input, `[{"entrypoint": …, "input": …}]`, and writes their result sets.

using System.Text.Json.Nodes;
using OpaDotNet.Wasm;

using var module = File.OpenRead(args[0]);
using var policy = OpaWasmEvaluatorFactory.Create(module);
var answers = new JsonArray();
foreach (var question in JsonNode.Parse(Console.OpenStandardInput())!.AsArray())
{
    var input = question!["input"]?.ToJsonString() ?? "null";
    answers.Add(JsonNode.Parse(policy.EvaluateRaw(input, (string)question["entrypoint"]!)));
}
Console.Out.Write(answers.ToJsonString());
