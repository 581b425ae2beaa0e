// Elements. Every text goes in as text: nothing of a policy is ever parsed as HTML.

/** Makes an element: attributes by name, `on…` listeners, children as nodes or texts. */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== undefined));
  return node;
}

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

export const number = (n) => n.toLocaleString("en-US");

/** A mark for what is only on one side of a comparison. */
export function changeMark(only) {
  if (only === undefined) return undefined;
  return el("span", { class: `mark ${only}` }, only === "now" ? "added" : "removed");
}
