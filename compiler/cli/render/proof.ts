/** Prints the proofs of a policy. */

import { type Counterexample, isProved, type Proof, type Property } from "@portcullis/governance/review";
import { count, type HumanOrJson } from "../commands/options.ts";
import type { Terminal } from "../terminal.ts";

export function printProof(terminal: Terminal, format: HumanOrJson, { properties, spaces, claims }: Proof): void {
  const failed = properties.filter((p) => !isProved(p)).length;
  if (format === "json") {
    const enumerated = Object.fromEntries(spaces.map((s) => [s.name, s.size]));
    const listed = properties.map((p) => ({ ...p, holds: isProved(p) }));
    terminal.out(`${JSON.stringify({ ok: failed === 0, enumerated, properties: listed }, null, 2)}\n`);
    return;
  }
  printProperties(terminal, properties);
  const { dim } = terminal.paint;
  for (const { name, size, says } of spaces)
    terminal.line(dim(`asked of ${name}: ${says} (${size.toLocaleString("en-US")})`));
  const own = claims === 0 ? "" : `, ${count(claims, "claim")} of your own among them`;
  terminal.out(
    `${properties.length - failed} of ${count(properties.length, "property").replace("propertys", "properties")} hold${own}\n`,
  );
}

/** Each with its verdict, and what refutes it or is not known. */
export function printProperties(terminal: Terminal, properties: readonly Property[]): void {
  const { red, green, yellow, dim } = terminal.paint;
  const show = ({ request, answer, why }: Counterexample): void => {
    const said = answer === undefined ? "" : ` ${answer.gate} ${answer.reason}:`;
    terminal.line(`       ${JSON.stringify(request)}:${said} ${why}`);
  };
  for (const property of properties) {
    const { name, place, because, asked, sampled, counterexamples, unknown = [], proof } = property;
    const verdict = isProved(property) ? green("holds") : counterexamples.length > 0 ? red("FAILS") : yellow("unknown");
    const notes = dim(
      `(${count(asked, "question")}${proof === undefined ? "" : " to the solver"}${sampled === undefined ? "" : `, sampled: ${sampled}`})`,
    );
    terminal.line(`${verdict}  ${name} ${notes}${place === undefined ? "" : `  ${dim(place)}`}`);
    if (proof !== undefined && proof.upTo.length > 0)
      terminal.line(dim(`       for at most ${proof.bound} elements in ${proof.upTo.join(", ")}`));
    if (proof !== undefined && proof.open.length > 0)
      terminal.line(dim(`       not encodable, and may give anything: ${proof.open.join("; ")}`));
    if (because !== undefined) terminal.line(`       because ${because}`);
    // What refutes it says more than what may.
    for (const shown of counterexamples.length > 0 ? counterexamples : unknown) show(shown);
  }
}
