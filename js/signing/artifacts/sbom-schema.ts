import { quote } from '../../foundation/base/text/text.js'

/** File names of the schemas by format; `REFERRED` has the schemas that they refer to. */
const FILES: Readonly<Record<string, string>> = {
  'SPDX-2.2': 'spdx-2.2',
  'SPDX-2.3': 'spdx-2.3',
  'CycloneDX 1.4': 'cyclonedx-1.4',
  'CycloneDX 1.5': 'cyclonedx-1.5',
  'CycloneDX 1.6': 'cyclonedx-1.6',
}
const REFERRED = ['jsf-0.82.SNAPSHOT.schema.json', 'spdx.SNAPSHOT.schema.json']

type Validate = ((document: unknown) => boolean) & { errors?: unknown }

const compiled = new Map<string, Promise<(document: unknown) => string>>()

/**
 * Checks a document against the published schema of its format.
 *
 * @param format - `SPDX-2.3`, `CycloneDX 1.5`
 * @throws Error naming the fault, or listing the supported formats
 * @throws AlvariumError `CONFIG_INVALID` naming the package to install
 */
export async function assertSchema(format: string, document: unknown): Promise<void> {
  const file = FILES[format]
  if (file === undefined || !Object.hasOwn(FILES, format)) {
    throw new Error(`SBOM: expected ${Object.keys(FILES).join(', ')}, got ${quote(format)}`)
  }
  const validate = compiled.get(file) ?? compile(file)
  compiled.set(file, validate)
  validate.catch(() => compiled.delete(file))
  const wrong = (await validate)(document)
  if (wrong !== '') throw new Error(`SBOM: expected ${format} as published, got ${wrong}`)
}

/** Compiles a schema. @returns a function that describes the faults of a document; empty if it is valid */
async function compile(file: string): Promise<(document: unknown) => string> {
  const [{ Ajv }, { default: formats }, { schemas }] = await Promise.all([
    import('ajv'),
    import('ajv-formats'),
    import('./schemas.js'),
  ])
  const ajv = new Ajv({ strict: false })
  formats.default(ajv)
  ajv.removeKeyword(uniqueItems.keyword).addKeyword(uniqueItems)
  const schema = (name: string) => JSON.parse(schemas[name] ?? '')
  for (const name of REFERRED) {
    ajv.addSchema(schema(name.replace('.json', '')), `http://cyclonedx.org/schema/${name}`)
  }
  const validate: Validate = ajv.compile(schema(file))
  return (document) => (validate(document) ? '' : ajv.errorsText(validate.errors as typeof ajv.errors))
}

/** Numbers for the different values of one JSON document. Each value is visited once, at any depth. */
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
 * Keyword `uniqueItems` of JSON Schema for ajv, in time linear in the document: ajv's own compares each item with all others, without a
 * limit.
 */
const uniqueItems = {
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
