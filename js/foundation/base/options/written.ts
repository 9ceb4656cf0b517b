import type { Document } from 'yaml'
import { AlvariumError, expected } from '../errors.js'
import { excessSteps } from '../text/excess.js'
import { secondNameSteps } from '../text/scan.js'
import { inTurns } from '../time/steps.js'
import { trustTurns } from '../time/turns.js'
import { endingAtFault, MAX_ALIASES, MAX_DEPTH, MAX_MEMBERS, parsed } from './nesting.js'

/**
 * Maximum number of aliases that one alias may expand to. A few are usual; a hundred nested ones expand to
 * more values than memory holds.
 */
const MAX_ALIAS_EXPANSIONS = 100

/** Maximum length of a YAML text in characters, which are parsed in about a second. JSON is much faster. */
const MAX_YAML_LENGTH = 1_048_576

/**
 * Name of a text in errors, and its maximum length in characters. For YAML, the maximum is at most 1,048,576.
 */
export interface WrittenLimits {
  readonly what: string
  readonly longest: number
}

/**
 * Reads a text of JSON or YAML.
 *
 * @throws AlvariumError `CONFIG_INVALID`, which does not quote the text: it may contain a password.
 */
export async function written(given: string, { what, longest }: WrittenLimits): Promise<unknown> {
  if (given.length > longest) {
    throw invalidText(what, `a text of at most ${longest} characters`, `${given.length}`)
  }
  const text = given.replace(/^\uFEFF/, '')
  const json = text.trimStart().startsWith('{') ? await fromJson(text, what) : undefined
  return json ?? fromYaml(text, what)
}

/** Parses JSON; undefined if it is not valid JSON, because YAML can begin with a brace, too. */
async function fromJson(text: string, what: string): Promise<unknown> {
  try {
    return await parsedJson(text, what)
  } catch (error) {
    if (error instanceof AlvariumError) throw error
    return undefined
  }
}

/**
 * Parses a text of JSON in which each name of an object occurs once.
 *
 * @throws AlvariumError `CONFIG_INVALID`, and the errors of `JSON.parse`
 */
export async function parsedJson(text: string, what: string): Promise<unknown> {
  const excess = await inTurns(excessSteps(text), trustTurns)
  if (excess !== undefined) throw invalidText(what, `JSON with ${excess}`, 'more')
  await trustTurns.takeLong()
  const value: unknown = JSON.parse(text)
  await trustTurns.takeLong()
  const second = await inTurns(secondNameSteps(text), trustTurns)
  if (second === undefined) return value
  throw invalidText(what, 'JSON with each name once', `one twice ${placeOf(text, second)}`)
}

async function fromYaml(text: string, what: string): Promise<unknown> {
  if (text.length > MAX_YAML_LENGTH) {
    throw invalidText(
      what,
      `JSON, or YAML of at most ${MAX_YAML_LENGTH} characters`,
      `${text.length}, and no JSON`,
    )
  }
  const { Composer, Lexer, Parser } = await import('yaml')
  const tokens = parsed(new Lexer().lex(text), new Parser(), {
    deep: () => invalidText(what, `JSON or YAML that nests ${MAX_DEPTH} deep at most`, 'something deeper'),
    aliased: () => invalidText(what, `YAML with at most ${MAX_ALIASES} aliases`, 'more'),
    wide: () => invalidText(what, `YAML whose objects have at most ${MAX_MEMBERS} members`, 'more'),
  })
  const fault = (at: number, code: string) =>
    invalidText(what, 'JSON or YAML', `something else ${placeOf(text, at)} (${code})`)
  const composer = endingAtFault(new Composer({ merge: true }), fault)
  const [first, second] = composer.compose(tokens, true, text.length)
  // An empty text, or one with only comments, is a document, too.
  const document = first as Document.Parsed
  const [error] = document.errors
  const at = error?.pos[0] ?? second?.range[0]
  if (at !== undefined) throw fault(at, error?.code ?? 'MULTIPLE_DOCS')
  if (document.contents === null) throw invalidText(what, 'JSON or YAML', 'nothing: it is empty')
  try {
    return document.toJS({ maxAliasCount: MAX_ALIAS_EXPANSIONS })
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
