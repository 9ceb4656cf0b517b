import { missing } from './missing.js'
import { uniqueItems } from './unique-items.js'

/** What each SBOM's schema is in, beside those that it refers to. */
const FILES: Readonly<Record<string, string>> = {
  'SPDX-2.2': 'spdx-2.2',
  'SPDX-2.3': 'spdx-2.3',
  'CycloneDX 1.4': 'cyclonedx-1.4',
  'CycloneDX 1.5': 'cyclonedx-1.5',
  'CycloneDX 1.6': 'cyclonedx-1.6',
}
const REFERRED = ['jsf-0.82.SNAPSHOT.schema.json', 'spdx.SNAPSHOT.schema.json']
/** In CycloneDX, for addresses in other scripts than ours: nothing here depends on them. */
const NOT_LOOKED_AT = { 'iri-reference': true, 'idn-email': true } as const

type Validate = ((document: unknown) => boolean) & { errors?: unknown }

const compiled = new Map<string, Promise<(document: unknown) => string>>()

/**
 * Checks a document against the published schema of its format.
 *
 * @param format - `SPDX-2.3`, `CycloneDX 1.5`
 * @throws Error naming what is wrong, or saying which formats there are
 * @throws AlvariumError `CONFIG_INVALID` saying what to install
 */
export async function assertSchema(format: string, document: unknown): Promise<void> {
  const file = FILES[format]
  if (file === undefined || !Object.hasOwn(FILES, format)) {
    throw new Error(
      `SBOM: expected ${Object.keys(FILES).join(', ')}, got ${JSON.stringify(format.slice(0, 100))}`,
    )
  }
  const validate = compiled.get(file) ?? compile(file)
  compiled.set(file, validate)
  validate.catch(() => compiled.delete(file))
  const wrong = (await validate)(document)
  if (wrong !== '') throw new Error(`SBOM: expected ${format} as published, got ${wrong}`)
}

/** @returns what says what is wrong; nothing where all is well */
async function compile(file: string): Promise<(document: unknown) => string> {
  const [{ Ajv }, { default: formats }, { schemas }] = await Promise.all([
    import('ajv').catch(missing('ajv')),
    import('ajv-formats').catch(missing('ajv-formats')),
    import('./schemas.js'),
  ])
  const ajv = new Ajv({ strict: false, formats: NOT_LOOKED_AT })
  formats.default(ajv)
  ajv.removeKeyword(uniqueItems.keyword).addKeyword(uniqueItems)
  const schema = (name: string) => JSON.parse(schemas[name] ?? '')
  for (const name of REFERRED) {
    ajv.addSchema(schema(name.replace('.json', '')), `http://cyclonedx.org/schema/${name}`)
  }
  const validate: Validate = ajv.compile(schema(file))
  return (document) => (validate(document) ? '' : ajv.errorsText(validate.errors as typeof ajv.errors))
}
