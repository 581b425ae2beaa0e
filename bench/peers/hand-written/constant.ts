/** An answer that is made once: what a careful person does with one that holds nothing of the request. */
export function constant<T extends object>(answer: T): T {
  return Object.freeze(answer);
}
