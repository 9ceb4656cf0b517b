/** A number for each different value of one JSON document; each is looked at once, however deep it is. */
class Identities {
  readonly #numbers = new Map<string, number>()
  readonly #known = new Map<object, number>()

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#numberOf(JSON.stringify(value))
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const number = this.#numberOf(Array.isArray(value) ? this.#list(value) : this.#members(value))
    this.#known.set(value, number)
    return number
  }

  #list(items: readonly unknown[]): string {
    return `[${items.map((item) => this.of(item))}]`
  }

  #members(object: object): string {
    const members = Object.entries(object).map(([name, value]) => `${JSON.stringify(name)}:${this.of(value)}`)
    return `{${members.sort()}}`
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    return number
  }
}

const documents = new WeakMap<object, Identities>()

/**
 * JSON Schema's `uniqueItems` for ajv, in time that grows with the document: ajv's own compares each item with each other, and
 * nothing ends that.
 */
export const uniqueItems = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must NOT have items that are the same' },
  validate: (isDemanded: boolean, items: readonly unknown[], _: unknown, at?: { rootData: object }) => {
    if (!isDemanded || items.length < 2 || !at) return true
    const identities = documents.get(at.rootData) ?? new Identities()
    documents.set(at.rootData, identities)
    return new Set(items.map((item) => identities.of(item))).size === items.length
  },
} as const
