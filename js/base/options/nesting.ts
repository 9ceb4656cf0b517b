import type { Composer, CST, Parser } from 'yaml'

/** Lists and objects, each in the one before. No policy and no config has ten. */
export const DEEPEST = 100
/** Of one object: `yaml` compares each name with all before it. */
export const MOST_MEMBERS = 1000

/** Of a whole text: `yaml` looks for the anchor of each in all anchors there are. */
export const MOST_ALIASES = 1000

/** What is thrown when a text nests too deep, has too many aliases, or an object has too many members. */
interface Refusals {
  readonly deep: () => Error
  readonly aliased: () => Error
  /** Not where names are not compared. */
  readonly wide?: () => Error
}

/**
 * What the parser of `yaml` makes of a text, document by document, unless it nests deeper than anybody writes it. To compose a document,
 * `yaml` calls itself for each level, and at the end of the stack V8 may end the process: nobody can catch that. The parser has the levels
 * in a list. Only there they can be counted: it nests much that is at fault, as `a: a: a:` and what follows a bracket that closes nothing.
 *
 * @param tokens - as the lexer of `yaml` gives them; those behind what is too deep or too wide are not asked for
 */
export function* parsed(
  tokens: Iterable<string>,
  parser: Parser,
  refusals: Refusals,
): Generator<CST.Token, void> {
  let aliases = 0
  for (const token of tokens) {
    for (const made of parser.next(token)) {
      yield made
      // It has one for each character that is out of place, and each becomes an error with a stack.
      if (made.type === 'error') return
    }
    // No text begins so, unless it is quoted.
    if (token.startsWith('*') && ++aliases > MOST_ALIASES) throw refusals.aliased()
    // The document is the first; the last may be a text.
    const top = parser.stack.at(-1)
    if (!top || !('items' in top)) continue
    if (parser.stack.length - 1 > DEEPEST) throw refusals.deep()
    if (refusals.wide && isObject(top) && top.items.length > MOST_MEMBERS) throw refusals.wide()
  }
  yield* parser.end()
}

/** Where something is in a text, as the parser of `yaml` says it. */
type Place = number | readonly [number, ...unknown[]] | { readonly offset: number }

/** Has `yaml` end with the first fault of a document: of itself it goes on, and a text of nothing else took it a minute. */
export function endingAtFault(
  composer: Composer,
  faultOf: (at: number, code: string, message: string) => Error,
): Composer {
  let first: Error | undefined
  const onError = (place: Place, code: string, message: string, isWarning?: boolean) => {
    if (isWarning) return
    const at = typeof place === 'number' ? place : 'offset' in place ? place.offset : place[0]
    // It is caught level by level, and told again.
    first ??= faultOf(at, code, message)
    throw first
  }
  Object.assign(composer, { onError })
  return composer
}

function isObject(top: CST.Token): boolean {
  return top.type === 'block-map' || (top.type === 'flow-collection' && top.start.source === '{')
}
