import { describe, expect, it } from "vitest";
import { aws } from "../../../runtime/builtins/aws/index.ts";
import { builtinsOf, recordedCalls, replay, title } from "./recorded.ts";

describe("providers.aws.sign_req", () => {
  it.each(recordedCalls("aws").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(builtinsOf(aws), call);
    expect(got).toBe(want);
  });
});
