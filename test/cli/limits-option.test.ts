/** `--limits` of eval and test, and what a fault by a limit says. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
  write(
    `${folder}/rules/app.rego`,
    "package app\n\n# METADATA\n# entrypoint: true\nsum := count([1 | some i in numbers.range(1, input.n); i > 0])\n",
  );
  write(
    `${folder}/rules/app_test.rego`,
    'package app_test\n\ntest_sum if data.app.sum == 3000 with input as {"n": 3000}\n',
  );
  write(`${folder}/n.json`, { n: 3000 });
});
afterAll(() => removeFolder(folder));

const ask = (limits: string) =>
  portcullis("eval", `${folder}/rules`, "app/sum", "-i", `${folder}/n.json`, "--limits", limits);

describe("--limits", () => {
  it("says which limit ended an evaluation, how far it got, and what gives more", async () => {
    const steps = await ask("steps=100");
    expect(steps.out).toBe("undefined\n");
    expect(steps.err).toMatch(
      /^fault: budget: step limit exceeded: [\d,]+ of 100 steps, [\d,]+ of 67,108,864 bytes; .*`--limits steps=…`/,
    );
    const memory = await ask("memory=16KiB");
    expect(memory.err).toMatch(
      /^fault: memory: memory limit exceeded: [\d,]+ of 50,000,000 steps, [\d,]+ of 16,384 bytes; .*`--limits memory=…`/,
    );
  });

  it("gives more, or less, than the defaults", async () => {
    expect(await ask("steps=100000,memory=1MiB,input=1024")).toMatchObject({ out: "3000\n", err: "" });
    expect((await ask("input=8")).err).toContain("fault: input: the input is too large for `limits.input`");
  });

  it("holds for each test", async () => {
    const test = (...more: string[]) => portcullis("test", `${folder}/rules`, ...more);
    expect((await test()).code).toBe(0);
    const { code, out } = await test("--limits", "steps=100");
    expect(code).toBe(1);
    expect(out).toContain("of 100 steps");
  });

  it.each(["steps", "steps=0", "steps=1MiB", "memory=3GiB", "time=3", "steps=-1"])("refuses %s", async (limits) => {
    const { code, err } = await ask(limits);
    expect(code).toBe(2);
    expect(err).toContain("--limits");
  });
});
