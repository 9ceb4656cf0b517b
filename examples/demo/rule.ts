/**
 * The visitor's own annotator: a field of a JSON payload, an operator and a value. A JavaScript expression would need
 * `'unsafe-eval'`, which the page's Content-Security-Policy forbids.
 */

export const OPERATORS = ['<', '≤', '=', '≠', '≥', '>', 'contains', 'exists'] as const
export type Operator = (typeof OPERATORS)[number]

export interface Rule {
  /** Kind of the annotator, which identifies its answers. */
  readonly kind: string
  /** Path in the payload: names and array indexes separated by dots, for example `sensors.0.celsius`. */
  readonly path: string
  readonly operator: Operator
  /** Value to compare, as a number with numbers, otherwise as text. Numbers have no order with texts. */
  readonly value: string
}

/** Returns whether the payload satisfies the rule. A payload that is not JSON, or has no such field, does not. */
export function satisfies(payload: Uint8Array, rule: Rule): boolean {
  const found = fieldOf(payload, rule.path)
  return found !== undefined && compare(found, rule.operator, rule.value)
}

/** Size limit of a payload in bytes: reading a longer one would block the page. */
const LONGEST = 1_000_000

/**
 * Returns the value at a path of a JSON payload; undefined if it is not JSON, has no such value, or exceeds a megabyte.
 */
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

/** Returns a number below, equal to or above zero, as for a sort; NaN for a number and a text that is not a number. */
function orderOf(found: unknown, value: string): number {
  if (typeof found === 'number') return value.trim() === '' ? Number.NaN : found - Number(value)
  const text = typeof found === 'object' ? JSON.stringify(found) : String(found)
  if (text === value) return 0
  return text < value ? -1 : 1
}
