/** History and approvals, kept for the hooks and gateways of other users. */

export { countSuccess } from "./count-success.ts";
export { type Kept, KeptState } from "./kept-state.ts";
export { type RemoteState, remoteState, type StatePlace } from "./remote-state.ts";
