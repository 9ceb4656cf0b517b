import type { Composer, CST, Parser } from 'yaml'

/** Maximum depth of nested lists and objects. No policy and no config has ten. */
export const MAX_DEPTH = 100
/** Maximum number of members of one object: `yaml` compares each name with all names before it. */
export const MAX_MEMBERS = 1000

/** Maximum number of aliases in a text: for each one, `yaml` searches all anchors. */
export const MAX_ALIASES = 1000

/** Errors for a text that nests too deep, for too many aliases, and for an object with too many members. */
interface Refusals {
  readonly deep: () => Error
  readonly aliased: () => Error
  /** Undefined for a reader that does not compare names. */
  readonly wide?: () => Error
}

/**
 * Runs the parser of `yaml` over a text, and throws if the text nests too deep or too wide. To compose a
 * document, `yaml` recurses for each level. At the end of the stack, V8 may end the process without an
 * exception. The levels can be counted only in the parser, which keeps them in a list. Invalid texts nest,
 * too, for example `a: a: a:`, or a text with a bracket that closes nothing.
 *
 * @param tokens - tokens of the lexer of `yaml`; not read further once the text is refused
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
      // Stop at the first error: there is one for each misplaced character, and each one captures a stack.
      if (made.type === 'error') return
    }
    // Only an alias begins with a star, because a string that begins with one must be quoted.
    if (token.startsWith('*') && ++aliases > MAX_ALIASES) throw refusals.aliased()
    // The stack begins with the document, which is not a level. Its last item may be a scalar.
    const top = parser.stack.at(-1)
    if (!top || !('items' in top)) continue
    if (parser.stack.length - 1 > MAX_DEPTH) throw refusals.deep()
    if (refusals.wide && isObject(top) && top.items.length > MAX_MEMBERS) throw refusals.wide()
  }
  yield* parser.end()
}

/** A position in a text, in any of the forms that `yaml` reports. */
type Place = number | readonly [number, ...unknown[]] | { readonly offset: number }

/** Makes `yaml` stop at the first fault of a document. By default it continues, and a text full of faults took it a minute. */
export function endingAtFault(
  composer: Composer,
  faultOf: (at: number, code: string, message: string) => Error,
): Composer {
  let first: Error | undefined
  const onError = (place: Place, code: string, message: string, isWarning?: boolean) => {
    if (isWarning) return
    const at = typeof place === 'number' ? place : 'offset' in place ? place.offset : place[0]
    // `yaml` catches the error at each level and reports it again: keep the first.
    first ??= faultOf(at, code, message)
    throw first
  }
  Object.assign(composer, { onError })
  return composer
}

function isObject(top: CST.Token): boolean {
  return top.type === 'block-map' || (top.type === 'flow-collection' && top.start.source === '{')
}
