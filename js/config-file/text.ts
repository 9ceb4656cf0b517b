import { type AlvariumError, describe, expected } from '../base/errors.js'
import { secondName } from '../base/scan.js'

/** Configs have a few hundred. */
const LONGEST = 65_536
/** An anchor or two is usual; a hundred that name each other are as many as there are atoms. */
const MOST_ALIASES = 100

/**
 * What a text of JSON or YAML says, or an object as it is.
 *
 * @throws AlvariumError `CONFIG_INVALID`; what is in the text is not in the error, as it may be a password
 */
export async function written(config: unknown): Promise<unknown> {
  if (typeof config !== 'string') return config
  if (config.length > LONGEST) {
    throw invalid(`a text of at most ${LONGEST} characters`, `${config.length}`)
  }
  const text = config.replace(/^\uFEFF/, '')
  const json = text.trimStart().startsWith('{') ? fromJson(text) : undefined
  return json ?? fromYaml(text)
}

/** Undefined for what is none: YAML begins with a brace, too. */
function fromJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const at = secondName(text)
  if (at === undefined) return value
  throw invalid('JSON with each name once', `one twice ${placeOf(text, at)}`)
}

async function fromYaml(text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { logLevel: 'silent', prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error) throw invalid('JSON or YAML', `something else ${placeOf(text, error.pos[0])} (${error.code})`)
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch {
    throw invalid('YAML', 'anchors that cannot be resolved, or are too many')
  }
}

function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n')
  return `in line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
}

function invalid(what: string, got: string): AlvariumError {
  return expected('CONFIG_INVALID', 'config', what, got)
}

/** What stands under `sdk`, where an application's own file has the SDK's there; and how its members are called in errors. */
export function unwrapped(value: unknown): { readonly config: object; readonly root: string } {
  if (typeof value !== 'object' || value === null) {
    const got = typeof value === 'string' ? 'a string (a path? use readConfig)' : describe(value)
    throw invalid('an object, or JSON or YAML of one', got)
  }
  if (!('sdk' in value)) return { config: value, root: '' }
  return { config: value.sdk as object, root: 'sdk' }
}
