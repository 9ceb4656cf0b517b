/**
 * The visitor's own annotator: a field of a JSON payload, an operator and a value. A JavaScript expression would
 * need `'unsafe-eval'`, which the page's Content-Security-Policy rightly forbids; this needs nothing.
 */

export const OPERATORS = ['<', '≤', '=', '≠', '≥', '>', 'contains', 'exists'] as const
export type Operator = (typeof OPERATORS)[number]

export interface Rule {
  /** The annotator's kind, by which its answers are found. */
  readonly kind: string
  /** Where in the payload: names and array positions with dots between, for example `sensors.0.celsius`. */
  readonly path: string
  readonly operator: Operator
  /** Compared as a number with numbers, else as text; a number is neither below nor above what is none. */
  readonly value: string
}

/** Whether the payload satisfies the rule; what is no JSON, or has no such field, does not. */
export function satisfies(payload: Uint8Array, rule: Rule): boolean {
  const found = fieldOf(payload, rule.path)
  return found !== undefined && compare(found, rule.operator, rule.value)
}

/** Bytes of the longest payload that is looked into: reading a longer one would hold the page up. */
const LONGEST = 1_000_000

/** The value at a path of a JSON payload; undefined when it is no JSON, has none, or is longer than a megabyte. */
export function fieldOf(payload: Uint8Array, path: string): unknown {
  if (payload.length > LONGEST) return undefined
  try {
    return path.split('.').reduce(step, JSON.parse(new TextDecoder().decode(payload)))
  } catch {
    return undefined
  }
}

function step(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function compare(found: unknown, operator: Operator, value: string): boolean {
  if (operator === 'exists') return true
  if (operator === 'contains') return String(found).includes(value)
  const order = orderOf(found, value)
  switch (operator) {
    case '<':
      return order < 0
    case '≤':
      return order <= 0
    case '=':
      return order === 0
    case '≠':
      return order !== 0
    case '≥':
      return order >= 0
    case '>':
      return order > 0
  }
}

/** Below, equal or above zero, as for a sort; NaN for a number and a text that is none. */
function orderOf(found: unknown, value: string): number {
  if (typeof found === 'number') return value.trim() === '' ? Number.NaN : found - Number(value)
  const text = typeof found === 'object' ? JSON.stringify(found) : String(found)
  if (text === value) return 0
  return text < value ? -1 : 1
}
