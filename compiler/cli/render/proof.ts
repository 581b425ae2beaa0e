/** Prints the proofs of a policy. */

import type { Proof } from "@portcullis/governance/review";
import { count, type HumanOrJson } from "../commands/options.ts";
import type { Terminal } from "../terminal.ts";

export function printProof(terminal: Terminal, format: HumanOrJson, { properties, spaces, claims }: Proof): void {
  const failed = properties.filter((p) => p.counterexamples.length > 0).length;
  if (format === "json") {
    const enumerated = Object.fromEntries(spaces.map((s) => [s.name, s.size]));
    const listed = properties.map((p) => ({ ...p, holds: p.counterexamples.length === 0 }));
    terminal.out(`${JSON.stringify({ ok: failed === 0, enumerated, properties: listed }, null, 2)}\n`);
    return;
  }
  const { red, green, dim } = terminal.paint;
  for (const { name, place, because, asked, sampled, counterexamples } of properties) {
    const holds = counterexamples.length === 0;
    const notes = dim(`(${count(asked, "question")}${sampled === undefined ? "" : `, sampled: ${sampled}`})`);
    terminal.out(
      `${holds ? green("holds") : red("FAILS")}  ${name} ${notes}${place === undefined ? "" : `  ${dim(place)}`}\n`,
    );
    if (because !== undefined) terminal.out(`       because ${because}\n`);
    for (const { request, answer, why } of counterexamples) {
      const said = answer === undefined ? "" : ` ${answer.gate} ${answer.reason}:`;
      terminal.out(`       ${JSON.stringify(request)}:${said} ${why}\n`);
    }
  }
  for (const { name, size, says } of spaces)
    terminal.out(dim(`asked of ${name}: ${says} (${size.toLocaleString("en-US")})\n`));
  const own = claims === 0 ? "" : `, ${count(claims, "claim")} of your own among them`;
  terminal.out(
    `${properties.length - failed} of ${count(properties.length, "property").replace("propertys", "properties")} hold${own}\n`,
  );
}
