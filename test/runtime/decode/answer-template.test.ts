/** What an answer is made from keeps no text of a request: it may be a small part of a large one. */

import { expect, it } from "vitest";
import { AnswerTemplate } from "../../../runtime/decode/answer-template.ts";
import { recordMaker, VALUE } from "../../../runtime/decode/record-makers.ts";
import { OpaqueStrings } from "../../../runtime/encode/opaque-strings.ts";

it("makes lists and records anew, with the texts of the last request, and keeps none of them", () => {
  const opaque = new OpaqueStrings(new WebAssembly.Memory({ initial: 1 }), 1024);
  const list = new AnswerTemplate(undefined, [], [1, undefined], [VALUE, 0], []);
  const keys = ["at", "who"];
  const parts = [{ at: 0, part: list }];
  const record = new AnswerTemplate(recordMaker(keys), keys, [undefined, undefined], [VALUE, 0], parts);
  for (const who of ["somebody", "another"]) {
    opaque.restart();
    opaque.newNumber(who);
    const answer = record.fill(opaque) as { at: unknown[] };
    expect(answer).toEqual({ at: [1, who], who });
    answer.at.push("changed");
    expect(record.fill(opaque)).toEqual({ at: [1, who], who });
  }
  expect(JSON.stringify([list, record])).not.toMatch(/somebody|another/);
});

it("tells how much is kept for it: values, long texts, and what lists and objects take", () => {
  const list = new AnswerTemplate(undefined, [], [1, "x".repeat(160)], [VALUE, VALUE], []);
  expect(list.size).toBe(12);
  const keys = ["a", "b"];
  const record = new AnswerTemplate(
    recordMaker(keys),
    keys,
    [true, undefined],
    [VALUE, VALUE],
    [{ at: 1, part: list }],
  );
  expect(record.size).toBe(2 + 8 + 12);
});
