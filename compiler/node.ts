/** `@portcullis/compiler/node`: the Host over the real file system. */

export { nodeHost } from "@portcullis/documents/node";
