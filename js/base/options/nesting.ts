import type { CST, Parser } from 'yaml'

/** Lists and objects, each in the one before. No policy and no config has ten. */
export const DEEPEST = 100
/** Of one object: `yaml` compares each name with all before it. */
export const MOST_MEMBERS = 1000

/** What is thrown when a text nests too deep, or an object has too many members. */
interface Refusals {
  readonly deep: () => Error
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
  for (const token of tokens) {
    yield* parser.next(token)
    // The document is the first; the last may be a text.
    const top = parser.stack.at(-1)
    if (!top || !('items' in top)) continue
    if (parser.stack.length - 1 > DEEPEST) throw refusals.deep()
    if (refusals.wide && isObject(top) && top.items.length > MOST_MEMBERS) throw refusals.wide()
  }
  yield* parser.end()
}

function isObject(top: CST.Token): boolean {
  return top.type === 'block-map' || (top.type === 'flow-collection' && top.start.source === '{')
}
