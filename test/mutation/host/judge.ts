/** Asks one build after the other, in one process; the parent ends it where a build never answers. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { load } from "@portcullis/runtime";
import { type Asked, type Battery, firstWrong } from "./check.ts";
import type { Fixtures } from "./fixtures.ts";

const [fixtureFile = "", bundle = ""] = process.argv.slice(2);
const asked: Asked = {
  fixtures: JSON.parse(readFileSync(fixtureFile, "utf8")) as Fixtures,
  policy: await load(readFileSync(bundle)),
};
const order: string[] = [];
let strayed: string | undefined;
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error: unknown) => {
    strayed = `outside of every question: ${String(error)}`;
  });

process.on("message", async (build: string) => {
  strayed = undefined;
  const wrong = await import(pathToFileURL(build).href).then(
    (battery: Battery) => firstWrong(battery.checks(asked), order, () => process.send?.("asked")),
    (error: unknown) => `does not load: ${String(error)}`,
  );
  process.send?.({ wrong: wrong ?? strayed });
});
process.send?.("ready");
