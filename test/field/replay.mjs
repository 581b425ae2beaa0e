/**
 * Builtins that answer as they answered OPA: `--builtin` of the field's runs. $FIELD_RECORD is the recording; what is not in
 * it, since operands hold the time or are asked for in another order, $FIELD_OPA is asked for.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fromPlain, fromText, toPlain, toText } from "@portcullis/runtime/host";

const normal = (text) => toText(fromText(text));
const answers = new Map();
for (const line of readFileSync(process.env.FIELD_RECORD, "utf8").split("\n")) {
  if (line === "") continue;
  const { name, operands, result } = JSON.parse(line);
  if (!answers.has(name)) answers.set(name, new Map());
  answers.get(name).set(operands.map(normal).join("\n"), result);
}

export default Object.fromEntries([...answers].map(([name, known]) => [name, answering(name, known)]));

function answering(name, known) {
  return (operands) => {
    const texts = operands.map((operand) => toText(fromPlain(operand)));
    const asked = texts.join("\n");
    if (!known.has(asked)) known.set(asked, ask(name, texts));
    const result = known.get(asked);
    return result === undefined ? undefined : toPlain(fromText(result));
  };
}

function ask(name, operands) {
  const query = `x := ${name}(${operands.join(", ")})`;
  const { FIELD_RECORD: _, FIELD_OPA, ...env } = process.env;
  const answer = execFileSync(FIELD_OPA, ["eval", "--format", "json", "--stdin"], {
    input: query,
    encoding: "utf8",
    env,
  });
  const { result } = JSON.parse(answer);
  return result === undefined ? undefined : JSON.stringify(result[0].bindings.x);
}
