// What was logged, for people: `update-graph · status OK · metrics: tasks 3, new_tasks 3`.

/** What lies deeper stays as it was logged. */
const MAX_DEPTH = 2;

/** JavaScript rounds such integers: a message that has one stays as it was logged. */
const LONG_INTEGER = /(?:^|[^\d.])\d{16,}(?![\d.eE])/;

/** The words of a message, which is JSON; one that is no object, and no text, is its own. */
export function messageInWords(message: string): string {
  if (!/^["{]/.test(message)) return message;
  if (message.startsWith("{") && LONG_INTEGER.test(message)) return message;
  try {
    const logged: unknown = JSON.parse(message);
    if (typeof logged === "string") return logged;
    return isObject(logged) ? objectInWords(logged) || message : message;
  } catch {
    return message;
  }
}

function objectInWords(logged: Record<string, unknown>): string {
  const { action, ...more } = logged;
  const named = typeof action === "string" && action !== "";
  return [
    ...(named ? [action] : []),
    ...Object.entries(named ? more : logged).map(([name, value]) =>
      pairInWords(name, value, 1),
    ),
  ].join(" · ");
}

function pairInWords(name: string, value: unknown, depth: number): string {
  if (!isObject(value) || depth === MAX_DEPTH) {
    return `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`;
  }
  const pairs = Object.entries(value).map(([inner, one]) =>
    pairInWords(inner, one, depth + 1),
  );
  return `${name}: ${pairs.join(", ") || "nothing"}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
