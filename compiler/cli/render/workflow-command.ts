/** A workflow command of GitHub Actions: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */

export function workflowCommand(
  level: "error" | "warning" | "notice",
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  return `::${level} ${list.join(",")}::${escaped(message)}`;
}

function escaped(text: string): string {
  return text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}

function escapedProperty(text: string): string {
  return escaped(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
}
