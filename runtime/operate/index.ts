/** What a service does with a policy. The package exports its parts; other rooms need only this. */

export { timerLimit } from "./times.ts";
