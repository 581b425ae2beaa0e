/** The language server with several folders open: each is a policy set of its own. */

import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Editor, has, isBuilt } from "./client.ts";
import { writeAll } from "./desk.ts";

describe.skipIf(!isBuilt)("several folders", () => {
  let folder = "";
  let other = "";
  beforeAll(() => {
    folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-editor-")));
    other = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-editor-")));
  });
  afterAll(() => {
    for (const at of [folder, other]) rmSync(at, { recursive: true, force: true });
  });

  it("are policy sets of their own, below whatever folder they lie in", async () => {
    writeAll(folder, {
      "service/policies/roles.yaml": "roles: [{ role_id: A }]\n",
      "service/policies/lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [B] } }]\n",
    });
    writeAll(other, {
      "roles.yaml": "roles: [{ role_id: B }]\n",
      "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [B] } }]\n",
    });
    const two = await Editor.start([folder, other]);
    const found = (await two.found("service/policies/lanes.yaml", has("model/undefined-role"))).find(
      (d) => d.code === "model/undefined-role",
    );
    expect(found?.range.start.character).toBe(49);
    await two.open(join(other, "roles.yaml"), readFileSync(join(other, "roles.yaml"), "utf8"));
    await two.edit(join(other, "roles.yaml"), "role_id: B", "role_id: C");
    await two.found(join(other, "lanes.yaml"), has("model/undefined-role"));
    expect(await two.stop()).toEqual({ code: 0, errors: "" });
  });
});
