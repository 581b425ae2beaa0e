import { describe, expect, it } from "vitest";
import { aws } from "../../../runtime/builtins/aws/sign-request.ts";
import { recordedCalls, replay, title } from "./recorded.ts";

describe("providers.aws.sign_req", () => {
  it.each(recordedCalls("aws").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(aws, call);
    expect(got).toBe(want);
  });
});
