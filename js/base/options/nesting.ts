import type { CST, Parser } from 'yaml'

/** Lists and objects, each in the one before. No policy and no config has ten. */
export const DEEPEST = 100

/**
 * What the parser of `yaml` makes of a text, document by document, unless it nests deeper than anybody writes it. To compose a document,
 * `yaml` calls itself for each level, and at the end of the stack V8 may end the process: nobody can catch that. The parser has the levels
 * in a list. Only there they can be counted: it nests much that is at fault, as `a: a: a:` and what follows a bracket that closes nothing.
 *
 * @param tokens - as the lexer of `yaml` gives them; those behind what is too deep are not asked for
 * @param tooDeep - makes what is thrown then
 */
export function* parsed(
  tokens: Iterable<string>,
  parser: Parser,
  tooDeep: () => Error,
): Generator<CST.Token, void> {
  for (const token of tokens) {
    yield* parser.next(token)
    if (isTooDeep(parser)) throw tooDeep()
  }
  yield* parser.end()
}

function isTooDeep({ stack }: Parser): boolean {
  // The document is the first; the last may be a text.
  const top = stack.at(-1)
  return stack.length - 1 > DEEPEST && top !== undefined && 'items' in top
}
