/** The Dockerfile of `portcullis serve`: what it promises is in it. `buildah` builds it; the page of policies/deploy says where that was tried. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = (path: string): string => readFileSync(`${root}${path}`, "utf8");
const folder = "policies/deploy/image/";

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** The instructions of each stage; those before the first are a stage, too. */
const stages = text(`${folder}Dockerfile`)
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line): Instruction => {
    const [word = "", ...rest] = line.trim().split(/\s+/);
    return { word, rest: rest.join(" ") };
  })
  .reduce<Instruction[][]>(
    (all, one) => {
      if (one.word === "FROM") all.push([]);
      (all.at(-1) as Instruction[]).push(one);
      return all;
    },
    [[]],
  );
const [args = [], build = [], final = []] = stages;
const all = (stage: readonly Instruction[], word: string): string[] =>
  stage.filter((one) => one.word === word).map(({ rest }) => rest);

describe("the Dockerfile", () => {
  it("has two stages, whose bases can be replaced by digests", () => {
    expect(stages.length).toBe(3);
    expect(all(args, "ARG").map((one) => one.replace(/=.*/, ""))).toEqual(["BUILD", "BASE"]);
    expect([all(build, "FROM"), all(final, "FROM")]).toEqual([["${BUILD} AS build"], ["${BASE}"]]);
  });

  it("brings from the build what is installed alone, and fetches nothing else", () => {
    expect(all(final, "COPY")).toEqual(["--from=build /opt/portcullis /opt/portcullis"]);
    for (const stage of stages) expect(all(stage, "ADD")).toEqual([]);
    expect(all(final, "RUN").join(" ")).not.toMatch(/npm|apt|curl|wget/);
    expect(text(`${folder}Dockerfile.dockerignore`).split("\n")).toEqual(
      expect.arrayContaining(["**/node_modules", "**/dist", ".git"]),
    );
  });

  it("runs as a user that is not root and owns its state alone", () => {
    const [user = ""] = all(final, "USER");
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const at = (word: string): number => final.findIndex((one) => one.word === word);
    expect(at("USER")).toBeLessThan(at("ENTRYPOINT"));
    expect(all(final, "VOLUME")).toEqual(["/var/lib/portcullis"]);
    expect(all(final, "RUN")).toEqual([
      `mkdir -p /var/lib/portcullis && chown ${user} /var/lib/portcullis && chmod 0700 /var/lib/portcullis`,
    ]);
    expect(text(`${folder}Dockerfile`)).toContain("docker run --read-only --cap-drop ALL");
  });

  it("starts without a shell, and says whether its policy is stale", () => {
    for (const word of ["ENTRYPOINT", "CMD"]) expect(Array.isArray(JSON.parse(all(final, word)[0] ?? ""))).toBe(true);
    const [check = ""] = all(final, "HEALTHCHECK");
    const [, command = ""] = /CMD (\[.*\])$/.exec(check) ?? [];
    expect(JSON.parse(command)).toEqual(["node", "-e", expect.stringContaining("/health?bundles")]);
    const bin = (JSON.parse(all(final, "ENTRYPOINT")[0] ?? "") as string[])[1] ?? "";
    expect(existsSync(bin.replace("/opt/portcullis/node_modules/@portcullis/", root))).toBe(true);
  });

  it("installs the compiler with what it needs of ours, and what the suites run with, and lists it all", () => {
    const run = all(build, "RUN").join(" ");
    const workspaces = [...run.matchAll(/--workspace (\S+)/g)].map(([, name]) => name as string);
    expect(workspaces).toEqual(["runtime", "compiler/rego", "compiler"]);
    for (const name of workspaces) expect(JSON.parse(text(`${name}/package.json`))).not.toHaveProperty("private");
    const { devDependencies } = JSON.parse(text("package.json")) as { devDependencies: Record<string, string> };
    for (const name of ["@grpc/grpc-js", "@grpc/proto-loader"])
      expect(run).toContain(`${name}@${devDependencies[name]}`);
    expect(run).toContain("npm sbom --omit=dev --sbom-format=cyclonedx > sbom.cdx.json");
  });
});
