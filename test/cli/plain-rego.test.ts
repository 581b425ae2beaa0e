/** Projects of plain Rego at the command line: no noise, schemas of their own, and policies that are heard. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
  write(`${folder}/plain/lib.rego`, "package lib\n\nallow if input.x == 1\n");
  write(`${folder}/plain/manifests/deploy.yaml`, "apiVersion: v1\nkind: Service\n");
  write(`${folder}/plain/tests/case.yaml`, "kind: Suite\n");
  write(
    `${folder}/schema/app.rego`,
    "package app\n\n# METADATA\n# schemas:\n# - input: schema.acme.request\n# entrypoint: true\nallow if input.user.name == 1\n",
  );
  write(`${folder}/schemas/acme/request.json`, {
    type: "object",
    properties: { user: { type: "object", properties: { nam: { type: "string" } }, additionalProperties: false } },
    additionalProperties: false,
  });
  write(
    `${folder}/heard/app.rego`,
    'package app\n\n# METADATA\n# entrypoint: true\nallow if {\n\tprint("x is", input.x)\n\ttrace("asked")\n\ttime.now_ns() > 1\n\tnot http.send({"method": "get", "url": "http://localhost"})\n}\n',
  );
  write(`${folder}/heard/portcullis.yaml`, "rego: { allow_builtins: [time.now_ns, http.send] }\n");
});
afterAll(() => removeFolder(folder));

describe("plain Rego", () => {
  it("is checked without an entrypoint, whatever else the folder is called", async () => {
    expect(await portcullis("check", `${folder}/plain`)).toMatchObject({ code: 0, out: "no findings\n", err: "" });
    const { err } = await portcullis("check", `${folder}/plain`, "--verbose");
    expect(err).toContain("manifests/deploy.yaml: there are no roles, lanes, tools or agents that it could speak of");
  });

  it("needs an entrypoint to be built", async () => {
    const { code, err } = await portcullis("build", `${folder}/plain`, "-o", `${folder}/out`);
    expect(code).toBe(1);
    expect(err).toContain("pipeline/no-entrypoint");
  });

  it.each(["check", "test", "build"])(
    "%s ignores a schema that is not given, and checks one that is there",
    async (verb) => {
      const out = verb === "build" ? ["-o", `${folder}/out`] : [];
      const without = await portcullis(verb, `${folder}/schema`, ...out);
      expect(without.err).toBe("");
      const { code, err } = await portcullis(verb, `${folder}/schema`, "--schema", `${folder}/schemas`, ...out);
      expect(code).toBe(1);
      expect(err).toContain("undefined ref: input.user.name");
      const other = await portcullis(verb, `${folder}/schema`, "--schema", `${folder}/heard`, ...out);
      expect(other).toMatchObject({ code: 1 });
      expect(other.err).toContain("undefined schema");
    },
  );

  it("takes one file as the schema of every input, and says which file is not a schema", async () => {
    const file = `${folder}/schemas/acme/request.json`;
    write(`${folder}/bare/app.rego`, "package app\n\nallow if input.user.name == 1\n");
    expect((await portcullis("check", `${folder}/bare`, "-s", file)).err).toContain("undefined ref: input.user.name");
    const { code, err } = await portcullis("check", `${folder}/bare`, "-s", `${folder}/bare/app.rego`);
    expect(code).toBe(2);
    expect(err).toContain("is no JSON");
  });

  it("is heard in eval, with the time and no network; settings of Rego alone bring no governance", async () => {
    const { code, out, err } = await portcullis("eval", `${folder}/heard`, "app/allow");
    expect({ code, out }).toEqual({ code: 0, out: "true\n" });
    expect(err).toBe(
      "x is <undefined>\nnote: asked\nnote: http.send: there is no network here; a test puts `with http.send as …` in its place\n",
    );
    expect((await portcullis("check", `${folder}/heard`)).out).toBe("no findings\n");
  });

  it("costs nothing in a bundle: print is gone, and trace asks no host", async () => {
    const built = await portcullis("build", `${folder}/heard`, "-o", `${folder}/out`);
    expect(built.code).toBe(0);
    const { out } = await portcullis("inspect", `${folder}/out/bundle.tar.gz`);
    expect(out).toContain("http.send");
    expect(out).not.toMatch(/internal\.print|portcullis\.trace/);
  });
});
