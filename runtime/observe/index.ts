/** Decisions with a listener. */

export { cacheText, type DecisionEvent, newId } from "./decision-event.ts";
export { DelegatingEvaluator } from "./delegating-evaluator.ts";
export { type DecisionEvents, type Host, type ObserveOptions, type Overruling, observedPolicy } from "./observe.ts";
export { logCountsOf, shadowsOf } from "./observer.ts";
export { EventSources, RECORDER, type Recorder, type Untold } from "./recorder.ts";
export type { ShadowAnswer, ShadowCounts, ShadowPolicy } from "./shadow.ts";
