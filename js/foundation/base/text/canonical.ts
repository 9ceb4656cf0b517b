/**
 * Writes canonical JSON (RFC 8785): names in the order of their UTF-16 code units, no white space. Undefined members
 * are omitted.
 *
 * @param value - value of JSON. Numbers are integers, or scores with at most four decimals: programming languages write
 * longer fractions in different ways
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

export function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalJson(value))
}
