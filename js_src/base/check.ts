// Checks of values that came from outside, composed from small functions.
// Knows nothing of messages: it only turns `unknown` into a type, or throws.

/** Where and why a value was refused. */
export class CheckError extends Error {
  override readonly name = "CheckError";

  constructor(path: string, wanted: string) {
    super(`${path} is not ${wanted}`);
  }
}

export type Check<T> = (value: unknown, path: string) => T;
type Checked<C> = C extends Check<infer T> ? T : never;

export const str: Check<string> = (value, path) => {
  if (typeof value !== "string") throw new CheckError(path, "text");
  return value;
};

export const bool: Check<boolean> = (value, path) => {
  if (typeof value !== "boolean") throw new CheckError(path, "true or false");
  return value;
};

export const num: Check<number> = (value, path) => {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new CheckError(path, "a finite number");
  }
  return value;
};

/** A whole number from 0 on, small enough to be exact. */
export const count: Check<number> = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new CheckError(path, "a count");
  }
  return value as number;
};

export const anything: Check<unknown> = (value) => value;

export function oneOf<const T extends string>(values: readonly T[]): Check<T> {
  return (value, path) => {
    if (!values.includes(value as T)) {
      throw new CheckError(path, `one of ${values.join(", ")}`);
    }
    return value as T;
  };
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, path) => (value === null ? null : check(value, path));
}

/** A field that may be missing or null; both become `fallback`. */
export function or<T, F>(check: Check<T>, fallback: F): Check<T | F> {
  return (value, path) =>
    value === undefined || value === null ? fallback : check(value, path);
}

/** A field of which a wrong value counts as missing. */
export function lax<T, F>(check: Check<T>, fallback: F): Check<T | F> {
  return (value, path) => {
    try {
      return check(value, path);
    } catch (error) {
      if (error instanceof CheckError) return fallback;
      throw error;
    }
  };
}

export function list<T>(item: Check<T>): Check<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new CheckError(path, "a list");
    return value.map((entry, i) => item(entry, `${path}[${i}]`));
  };
}

export function tuple<T extends readonly Check<unknown>[]>(
  ...items: T
): Check<{ [I in keyof T]: Checked<T[I]> }> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length < items.length) {
      throw new CheckError(path, `a list of ${items.length}`);
    }
    return items.map((item, i) => item(value[i], `${path}[${i}]`)) as {
      [I in keyof T]: Checked<T[I]>;
    };
  };
}

/** A plain object, whatever its fields are. */
export const fields: Check<Readonly<Record<string, unknown>>> = (
  value,
  path,
) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CheckError(path, "an object");
  }
  return value as Record<string, unknown>;
};

/** A plain object with these fields; others are ignored, as the protocol says. */
export function record<S extends Record<string, Check<unknown>>>(
  shape: S,
): Check<{ [K in keyof S]: Checked<S[K]> }> {
  const entries = Object.entries(shape);
  return (value, path) => {
    const source = fields(value, path);
    const out: Record<string, unknown> = {};
    for (const [key, check] of entries) {
      // Own fields only: a message must not reach Object.prototype.
      const field = Object.hasOwn(source, key) ? source[key] : undefined;
      out[key] = check(field, `${path}.${key}`);
    }
    return out as { [K in keyof S]: Checked<S[K]> };
  };
}
