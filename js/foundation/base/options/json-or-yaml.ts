import type { Composer, CST, Document, Parser } from 'yaml'
import { AlvariumError, expected } from '../errors.js'
import { excessSteps, quotedNameAt, secondNameSteps } from '../text/scan.js'
import { runYielding, trustTurns } from '../time/turns.js'

/** Maximum number of aliases that one YAML alias may expand to. Nested aliases can expand to more than memory holds. */
const MAX_ALIAS_EXPANSIONS = 100

/** Maximum length of a YAML text, in characters. Parsing that many takes about a second; JSON is much faster. */
const MAX_YAML_LENGTH = 1_048_576

/** Name of a text in errors, and its maximum length in characters. For YAML, a limit above 1,048,576 has no effect. */
export interface TextLimits {
  readonly name: string
  readonly maxLength: number
}

/**
 * Parses a text of JSON or YAML.
 *
 * @throws AlvariumError `CONFIG_INVALID`, which does not quote the text, because the text may contain a password
 */
export async function readJsonOrYaml(given: string, { name, maxLength }: TextLimits): Promise<unknown> {
  if (given.length > maxLength) {
    throw invalidText(name, `a text of at most ${maxLength} characters`, `${given.length}`)
  }
  const text = given.replace(/^\uFEFF/, '')
  const json = text.trimStart().startsWith('{') ? await fromJson(text, name) : undefined
  return json ?? fromYaml(text, name)
}

/** Parses JSON. Returns undefined for invalid JSON, which may be YAML that begins with a brace. */
async function fromJson(text: string, textName: string): Promise<unknown> {
  try {
    return await parseJson(text, textName)
  } catch (error) {
    if (error instanceof AlvariumError) throw error
    return undefined
  }
}

/**
 * Parses a JSON text. Refuses a text with a repeated name in an object, or with too many values.
 *
 * @throws AlvariumError `CONFIG_INVALID`, and the errors of `JSON.parse`
 */
export async function parseJson(text: string, textName: string): Promise<unknown> {
  const excess = await runYielding(excessSteps(text), trustTurns)
  if (excess !== undefined) throw invalidText(textName, `JSON with ${excess}`, 'more')
  await trustTurns.yieldIfDueLong()
  const value: unknown = JSON.parse(text)
  await trustTurns.yieldIfDueLong()
  const second = await runYielding(secondNameSteps(text), trustTurns)
  if (second === undefined) return value
  const got = `${quotedNameAt(text, second)} twice, ${placeOf(text, second)}`
  throw invalidText(textName, 'each name once', got)
}

async function fromYaml(text: string, textName: string): Promise<unknown> {
  if (text.length > MAX_YAML_LENGTH) {
    const got = `${text.length} characters that are not JSON`
    throw invalidText(textName, `at most ${MAX_YAML_LENGTH} characters of YAML, or JSON`, got)
  }
  const { Composer, Lexer, Parser } = await import('yaml')
  const tokens = boundedTokens(new Lexer().lex(text), new Parser(), textName)
  const fault = (at: number, code: string) =>
    invalidText(textName, 'JSON or YAML', `a syntax error ${placeOf(text, at)} (${code})`)
  const composer = stopAtFault(new Composer({ merge: true }), fault)
  const [first, second] = composer.compose(tokens, true, text.length)
  // The composer returns a document for every text, even for an empty one.
  const document = first as Document.Parsed
  const [error] = document.errors
  const at = error?.pos[0] ?? second?.range[0]
  if (at !== undefined) throw fault(at, error?.code ?? 'MULTIPLE_DOCS')
  if (document.contents === null) throw invalidText(textName, 'JSON or YAML', 'an empty text')
  try {
    return document.toJS({ maxAliasCount: MAX_ALIAS_EXPANSIONS })
  } catch {
    throw invalidText(textName, 'YAML', 'anchors that cannot be resolved, or are too many')
  }
}

function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n')
  return `in line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
}

export function invalidText(text: string, expectation: string, got: string): AlvariumError {
  return expected('CONFIG_INVALID', text, expectation, got)
}

/** Maximum depth of nested lists and objects. Policies and configurations nest fewer than ten levels. */
const MAX_DEPTH = 100
/** Maximum number of members of one YAML object, because `yaml` compares each name with all names before it. */
const MAX_MEMBERS = 1000

/** Maximum number of aliases in a YAML text, because `yaml` searches all anchors for each alias. */
const MAX_ALIASES = 1000

/**
 * Parses tokens with `yaml`, and throws if the text nests too deep or exceeds another limit. `yaml` recurses for each
 * level when it composes a document, and if the call stack overflows, V8 may end the process without an exception.
 * The depth is read from the parser's own stack, because invalid YAML can also nest, for example `a: a: a:`.
 *
 * @param tokens - tokens of the lexer of `yaml`; not read further once the text is refused
 */
function* boundedTokens(
  tokens: Iterable<string>,
  parser: Parser,
  textName: string,
): Generator<CST.Token, void> {
  const excess = (limit: string) => invalidText(textName, `at most ${limit}`, 'more')
  let aliases = 0
  for (const token of tokens) {
    for (const cstToken of parser.next(token)) {
      yield cstToken
      // Stop at the first error, because the parser makes an error with a stack trace for each misplaced
      // character.
      if (cstToken.type === 'error') return
    }
    // Only an alias begins with a star, because a string that begins with one must be quoted.
    if (token.startsWith('*') && ++aliases > MAX_ALIASES) throw excess(`${MAX_ALIASES} YAML aliases`)
    // The parser's stack begins with the document, which is not a level. The last item of the stack may be a scalar.
    const top = parser.stack.at(-1)
    if (!top || !('items' in top)) continue
    if (parser.stack.length - 1 > MAX_DEPTH) throw excess(`${MAX_DEPTH} levels of nesting`)
    if (isObject(top) && top.items.length > MAX_MEMBERS)
      throw excess(`${MAX_MEMBERS} members in a YAML object`)
  }
  yield* parser.end()
}

/** A position in a text, in any of the forms that `yaml` reports. */
type Place = number | readonly [number, ...unknown[]] | { readonly offset: number }

/** Makes `yaml` stop at the first fault of a document. Otherwise, a text full of faults can take a minute. */
function stopAtFault(composer: Composer, faultOf: (at: number, code: string) => Error): Composer {
  let first: Error | undefined
  const onError = (place: Place, code: string, _message: string, isWarning?: boolean) => {
    if (isWarning) return
    const at = typeof place === 'number' ? place : 'offset' in place ? place.offset : place[0]
    // `yaml` catches the error at each level and reports it again: keep the first.
    first ??= faultOf(at, code)
    throw first
  }
  return Object.assign(composer, { onError })
}

function isObject(top: CST.Token): boolean {
  return top.type === 'block-map' || (top.type === 'flow-collection' && top.start.source === '{')
}
