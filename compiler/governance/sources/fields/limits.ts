/** limits.yaml: how often, how much, in which order. Model and data have its rules in another form, which is read and lowered by hand. */

import { FILE_FIELDS, id, list, names, rows, section, text, whole } from "./field.ts";

const WHOLE = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const byHand = { byHand: true } as const;

export const LIMIT = {
  limit_id: id("Decides: the id that denials name, and under which the host keeps the history.", { model: "id" }),
  description: text("Informs: for readers."),
  calls: section(
    "Which calls it is about: those whose tool, role and lane are all listed. Without a list, any.",
    {
      tools: names("Decides: tools whose calls the limit is about.", { data: "tools" }),
      roles: names("Decides: roles whose calls the limit is about.", { data: "roles" }),
      lanes: names("Decides: lanes whose calls the limit is about.", { data: "lanes" }),
    },
    { data: "calls", ...byHand },
  ),
  per: list(
    "Decides: of whom: `role`, `lane`, `tool`, `session`, or `scope.NAME` of `host_scope`; each combination of values has a history of its own. Default: one for all.",
    { data: "per", ...byHand },
  ),
  max_calls: whole(WHOLE, "Decides: the most calls within the window; 0 allows none.", {
    data: "max_calls",
    ...byHand,
  }),
  max_sum: section(
    "The most that calls may add up to within the window.",
    {
      of: text("Decides: what is added up: `args.NAME` or `scope.NAME`, a whole number that is not negative.", {
        data: "of",
        required: true,
      }),
      at_most: whole(WHOLE, "Decides: the greatest sum.", { data: "at_most", required: true }),
    },
    { data: "max_sum", ...byHand },
  ),
  within: text(
    "Builds: the window in which hosts count for `max_calls` and `max_sum`, which slides: `90s`, `15m`, `1h`, `7d`, from 1s to 366d. Without it: as long as the session, where `per` has it, or for ever.",
    { data: "within_ms", ...byHand },
  ),
  only_after: section(
    "A call of one of some tools has to have succeeded before.",
    {
      tools: names("Decides: tools of which one has to have been called before.", { data: "tools", required: true }),
      within: text("Decides: how long ago that may be at most, from 1s to 366d. Without it: any time.", {
        data: "within_ms",
      }),
    },
    { data: "only_after", ...byHand },
  ),
  never_after: section(
    "No call of some tools may have begun before.",
    { tools: names("Decides: tools of which none may have been called before.", { data: "tools", required: true }) },
    { data: "never_after", ...byHand },
  ),
  only_during: section(
    "Days and hours, by the clock of a place.",
    {
      days: names(
        "Decides: days of the week, `mon` to `sun`; default: all. A time behind midnight is of the day of `from`.",
        { data: "days" },
      ),
      from: text('Decides: the first minute, as `"09:00"`.', { data: "from", required: true }),
      to: text(
        'Decides: the minute at which it ends, as `"17:30"`, to `"24:00"`; where it is before `from`, that of the next day.',
        { data: "to", required: true },
      ),
      zone: text(
        "Decides: the time zone by its IANA name, as `Europe/Berlin`. The bundle has its offsets from 2025 to 2049; any other time is denied.",
        { data: "zone", required: true },
      ),
    },
    { data: "only_during", ...byHand },
  ),
};

export const LIMITS = {
  ...FILE_FIELDS,
  limits: rows("How often, how much, in which order, and when calls may be made.", LIMIT, {
    required: true,
    nullable: true,
  }),
};
