/** Builds a battery with a mutant in it, and has a process ask it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildContext, build, context } from "esbuild";
import type { HostMutant } from "./mutants.ts";

/** For one question: a mutant that waits for a pipe, or for ever, was noticed. Several times what the slowest takes on a busy machine. */
const LONGEST_MS = 12_000;

/** The message of a mutant that is not a program. */
export const NO_BUILD = "does not build";

type Said = "asked" | { readonly wrong?: string };

export class Judge {
  private readonly root: string;
  private readonly builds: string;
  private readonly args: readonly string[];
  private readonly contexts = new Map<string, BuildContext>();
  private child: ChildProcess | undefined;
  private mutant: HostMutant | undefined;
  private serial = 0;

  private constructor(root: string, builds: string, args: readonly string[]) {
    this.root = root;
    this.builds = builds;
    this.args = args;
  }

  static async start(root: string, builds: string, args: readonly string[]): Promise<Judge> {
    const judge = new Judge(root, builds, args);
    await build({
      entryPoints: [join(root, "test/mutation/host/judge.ts")],
      ...{ outfile: join(builds, "judge.mjs"), bundle: true, platform: "node", format: "esm", packages: "external" },
    });
    return judge;
  }

  stop(): void {
    this.child?.kill("SIGKILL");
    for (const one of this.contexts.values()) void one.dispose();
  }

  /** Ends the run where a battery refuses what is not changed at all. */
  async expectSane(batteries: readonly string[]): Promise<void> {
    for (const battery of batteries) {
      const wrong = await this.wrongIn(battery, undefined);
      if (wrong === undefined) continue;
      console.error(`the battery refuses what is not changed at all:\n${wrong}`);
      process.exit(2);
    }
  }

  /** What a battery finds wrong with a mutant. What does not build was noticed. */
  async wrongIn(battery: string, mutant: HostMutant | undefined): Promise<string | undefined> {
    this.mutant = mutant;
    const file = join(this.builds, `${this.serial++}.mjs`);
    try {
      const { outputFiles } = await (await this.contextOf(battery)).rebuild();
      writeFileSync(file, outputFiles?.[0]?.contents ?? "");
    } catch {
      return NO_BUILD;
    }
    const wrong = await this.ask(file);
    rmSync(file);
    return wrong;
  }

  private async ask(file: string): Promise<string | undefined> {
    const child = this.child ?? (await this.process());
    const answer = new Promise<string | undefined>((resolve) => {
      const timer = setTimeout(() => this.drop(child), LONGEST_MS);
      const done = (wrong: string | undefined): void => {
        clearTimeout(timer);
        child.removeAllListeners("message").off("exit", ended);
        resolve(wrong);
      };
      const ended = (): void => done("never answers");
      child.once("exit", ended);
      child.on("message", (said: Said) => {
        if (said === "asked") timer.refresh();
        else done(said.wrong);
      });
    });
    child.send(file);
    return answer;
  }

  private drop(child: ChildProcess): void {
    this.child = undefined;
    child.kill("SIGKILL");
  }

  private async process(): Promise<ChildProcess> {
    const child = fork(join(this.builds, "judge.mjs"), this.args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child.once("exit", () => {
      if (this.child === child) this.child = undefined;
    });
    await once(child, "message");
    this.child = child;
    return child;
  }

  private async contextOf(battery: string): Promise<BuildContext> {
    const known = this.contexts.get(battery);
    if (known !== undefined) return known;
    const made = await context({
      entryPoints: [join(this.root, `test/mutation/host/${battery}-battery.ts`)],
      ...{ write: false, bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "silent" },
      plugins: [
        {
          name: "mutant",
          setup: ({ onLoad }) =>
            onLoad(
              { filter: /\/(?:compiler\/(?:enforcement|cli)|runtime\/(?:agents|facts|governance))\/.*\.ts$/ },
              ({ path }) => (path === this.mutant?.file ? { contents: this.mutant.text, loader: "ts" } : undefined),
            ),
        },
      ],
    });
    this.contexts.set(battery, made);
    return made;
  }
}
