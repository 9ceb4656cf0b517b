import { type AlvariumError, expected } from '../errors.js'
import { secondName } from '../text/scan.js'
import { DEEPEST, isTooDeep } from './nesting.js'

/** An anchor or two is usual; a hundred that name each other are as many as there are atoms. */
const MOST_ALIASES = 100

/** What a text is called in errors, and how many characters it may have. */
export interface WrittenLimits {
  readonly what: string
  readonly longest: number
}

/**
 * What a text of JSON or YAML says.
 *
 * @throws AlvariumError `CONFIG_INVALID`; what is in the text is not in the error, as it may be a password
 */
export async function written(given: string, { what, longest }: WrittenLimits): Promise<unknown> {
  if (given.length > longest) {
    throw invalidText(what, `a text of at most ${longest} characters`, `${given.length}`)
  }
  const text = given.replace(/^\uFEFF/, '')
  const json = text.trimStart().startsWith('{') ? fromJson(text, what) : undefined
  return json ?? fromYaml(text, what)
}

/** Undefined for what is none: YAML begins with a brace, too. */
function fromJson(text: string, what: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const at = secondName(text)
  if (at === undefined) return value
  throw invalidText(what, 'JSON with each name once', `one twice ${placeOf(text, at)}`)
}

async function fromYaml(text: string, what: string): Promise<unknown> {
  const { Lexer, parseDocument } = await import('yaml')
  if (isTooDeep(new Lexer().lex(text))) {
    throw invalidText(what, `JSON or YAML that nests ${DEEPEST} deep at most`, 'something deeper')
  }
  // Not 'silent': of several documents, all but the first would be passed over without a word.
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error) {
    throw invalidText(what, 'JSON or YAML', `something else ${placeOf(text, error.pos[0])} (${error.code})`)
  }
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch {
    throw invalidText(what, 'YAML', 'anchors that cannot be resolved, or are too many')
  }
}

function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n')
  return `in line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
}

export function invalidText(text: string, what: string, got: string): AlvariumError {
  return expected('CONFIG_INVALID', text, what, got)
}
