/** Whole documents: a rule's value, or the object of the documents below a name, laid over base data. */

import { REPLACEMENTS } from "./context.ts";
import { type DocumentNode, hasDocument } from "./documents.ts";
import { DATA, type Local, local, type Operand } from "./ir.ts";
import { callDocument, callGroup } from "./plan-group.ts";
import { type Children, childIndex, planIndexed } from "./plan-index.ts";
import { collectParts, documentParts } from "./plan-parts.ts";
import type { Scope } from "./scope.ts";

/** The whole document of a node: its rule's value, or an object of everything below. */
export function planDocument(scope: Scope, node: DocumentNode): Operand {
  if (node.group !== undefined && node.group.kind !== "function") return callGroup(scope, node.group, []);
  const func = scope.policy.documentFunction(scope.context, node);
  return callDocument(scope, func);
}

/** The object of a node's children over base data, as the body of the function `name`; `result` gets it. */
export function planDocumentBody(scope: Scope, node: DocumentNode, result: Local, name: string): void {
  const { emitter } = scope;
  const object = emitter.local();
  const children = [...node.children].filter(([, child]) => hasDocument(child));
  const parts = documentParts(scope, children, name, planChildren);
  if (parts === undefined) planChildren(scope, children, object);
  else {
    emitter.emit({ kind: "MakeObjectStmt", target: object });
    collectParts(scope, parts, (key, value) => emitter.emit({ kind: "ObjectInsertStmt", key, value, object }));
  }
  emitter.block((all) => {
    emitter.block(() => {
      const base = planBaseDocument(scope, node);
      emitter.emit({ kind: "ObjectMergeStmt", a: object, b: base, target: result });
      emitter.leave(all);
    });
    emitter.emit({ kind: "AssignVarStmt", source: local(object), target: result });
  });
}

function planChildren(scope: Scope, children: Children, object: Local): void {
  const { emitter } = scope;
  emitter.emit({ kind: "MakeObjectStmt", target: object });
  planIndexed(scope, childIndex(scope, children), [], (asked) => {
    for (const [name, child] of asked) {
      emitter.block(() => {
        const value = planDocument(scope, child);
        emitter.emit({ kind: "ObjectInsertStmt", key: scope.string(name), value, object });
      });
    }
  });
}

function planBaseDocument(scope: Scope, node: DocumentNode): number {
  const { emitter } = scope;
  if (node.path.length > 0 || !scope.context.replaces) {
    let at: Operand = local(DATA);
    for (const name of node.path) at = emitter.dot(at, scope.string(name));
    // Only an object can have documents below it.
    emitter.emit({ kind: "IsObjectStmt", source: at });
    return emitter.localOf(at);
  }
  const copy = emitter.local();
  emitter.emit({ kind: "MakeObjectStmt", target: copy });
  emitter.block(() => {
    const { key, value } = emitter.scan(local(DATA));
    emitter.emit({ kind: "NotEqualStmt", a: key, b: scope.string(REPLACEMENTS) });
    emitter.emit({ kind: "ObjectInsertStmt", key, value, object: copy });
  });
  return copy;
}
