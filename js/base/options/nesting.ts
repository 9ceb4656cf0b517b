/** Lists and objects in brackets, each in the one before. No policy and no config has ten. */
export const DEEPEST = 100
/** Without brackets, what is deeper stands further to the right: two levels at most begin at one column. */
const FURTHEST = 200

/** Marks of the lexer, which stand for no text: of a document, of the end of brackets, and of a scalar behind it. */
const SCALAR = '\u001f'
const MARKS = ['\u0002', '\u0018', SCALAR]

/**
 * Whether YAML nests deeper than anybody writes it. Its reader calls itself for each level, and at the end of the stack V8 may end the
 * process: nobody can catch that.
 *
 * @param tokens - as the lexer of `yaml` gives them; those behind what is too deep are not asked for
 */
export function isTooDeep(tokens: Iterable<string>): boolean {
  let [brackets, column] = [0, 0]
  let [isBegun, isScalar] = [false, false]
  for (const token of tokens) {
    // What a scalar has nests nothing.
    const kind = isScalar ? 'scalar' : token
    isScalar = kind === SCALAR
    if (MARKS.includes(kind)) continue
    if (kind === '[' || kind === '{') brackets++
    if (kind === ']' || kind === '}') brackets--
    const isBlank = kind.trim() === ''
    const mayNest = isBegun ? brackets === 0 && (kind === '-' || kind === '?') : !isBlank
    if (brackets > DEEPEST || (mayNest && column > FURTHEST)) return true
    const isLineOver = token.endsWith('\n')
    column = isLineOver ? 0 : column + token.length
    isBegun = !isLineOver && (isBegun || !isBlank)
  }
  return false
}
