/**
 * Builtins for the field's runs, `--builtin`. Those of a scanner that no checkout has are stand-ins here as they are in
 * oracle/; others answer as they answered OPA. $FIELD_RECORD is the recording; what is not in it, since operands hold the
 * time or are asked for in another order, $FIELD_OPA is asked for, and the answer is kept in $FIELD_RECORD.asked. How many
 * CPU seconds those processes took is left in $FIELD_RECORD.cpu: they are not the evaluator's.
 */

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { fromPlain, fromText, toPlain, toText } from "@portcullis/runtime/host";

/** As oracle/trivy.go has them. */
const standIns = {
  "result.new": ([message, cause]) => ({ msg: message, metadata: member(cause, METADATA, {}) }),
  isManaged: ([resource]) => member(member(resource, METADATA), "managed", true),
};
const METADATA = "__defsec_metadata";

function member(value, key, otherwise) {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, key) ? value[key] : otherwise;
}

const normal = (text) => toText(fromText(text));
const answers = new Map();
const asked = `${process.env.FIELD_RECORD}.asked`;
const recorded = [process.env.FIELD_RECORD, asked].filter((file) => existsSync(file));
for (const line of recorded.flatMap((file) => readFileSync(file, "utf8").split("\n"))) {
  if (line === "") continue;
  const { name, operands, result } = JSON.parse(line);
  if (!answers.has(name)) answers.set(name, new Map());
  if (!Object.hasOwn(standIns, name)) answers.get(name).set(operands.map(normal).join("\n"), result);
}

export default Object.fromEntries(
  [...answers].map(([name, known]) => [name, standIns[name] ?? answering(name, known)]),
);

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
  const { result: found } = JSON.parse(answer);
  const result = found && JSON.stringify(found[0].bindings.x);
  appendFileSync(asked, `${JSON.stringify({ name, operands, result })}\n`);
  return result;
}

/** Ticks of a hundredth of a second that children took which have ended, in user and in system mode: Linux counts them. */
process.on("exit", () => {
  if (!existsSync("/proc/self/stat")) return;
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  writeFileSync(`${process.env.FIELD_RECORD}.cpu`, String((user + system) / 100));
});
