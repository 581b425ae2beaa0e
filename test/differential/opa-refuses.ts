/**
 * Why an installed OPA may refuse, or be unable to decide, a program that our compiler takes and the interpreter decides.
 * These are no differences, since nothing was decided; any other error of OPA's is one.
 */

export const OPA_REFUSES: { readonly [code: string]: string } = {
  // A variable that one operand of an expression binds and a comprehension in another operand reads: after hoisting the
  // comprehension, each of OPA's two expressions waits for the other. Also patterns matched with object comprehensions.
  rego_unsafe_var_error: "OPA's safety check does not find an order where one expression binds and reads",
  // "built-in function neq called with operand 2 that requires evaluation": an order that its safety check took, and in which a
  // variable is read before it is bound. By its name this is an error of OPA's own.
  eval_internal_error: "OPA calls a builtin with a variable that it has not bound",
};
