/**
 * Annotator of the visitor: compares a field of a JSON payload with a value. JavaScript expressions would
 * need `'unsafe-eval'`, which the page's Content-Security-Policy forbids.
 */

export const OPERATORS = ['<', '≤', '=', '≠', '≥', '>', 'contains', 'exists'] as const
export type Operator = (typeof OPERATORS)[number]

export interface Rule {
  /** Kind of the annotator, which appears in its annotations. */
  readonly kind: string
  /** Path in the payload with dots, such as `sensors.0.celsius`. */
  readonly path: string
  readonly operator: Operator
  /** Value to compare with: as a number if the field is a number, otherwise as text. */
  readonly value: string
}

/** Returns whether a payload satisfies the rule. A payload that is not JSON does not. */
export function satisfies(payload: Uint8Array, rule: Rule): boolean {
  const found = fieldOf(payload, rule.path)
  return found !== undefined && compare(found, rule.operator, rule.value)
}

/** Maximum payload size in bytes, because parsing a longer one would block the page. */
const LONGEST = 1_000_000

/** Returns the value at a path; undefined if it is missing, or if the payload is not JSON up to 1 MB. */
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

/** Returns a negative number, 0 or a positive number, as for sorting; NaN if only `found` is a number. */
function orderOf(found: unknown, value: string): number {
  if (typeof found === 'number') return value.trim() === '' ? Number.NaN : found - Number(value)
  const text = typeof found === 'object' ? JSON.stringify(found) : String(found)
  if (text === value) return 0
  return text < value ? -1 : 1
}
