// Reads comments and names in Rust and Python, by regular expressions.

/** @typedef {import('./texts.mjs').Contents} Contents */
/** @typedef {import('./texts.mjs').Kind} Kind */

/** Comments (the group `comment`) and strings of languages, by the extensions of their files. */
const PATTERNS = {
  '.rs': /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|r(#*)"[\s\S]*?"\2|b?"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)'/g,
  '.py':
    /(?<comment>#.*|(?<=^[ \t]*)"""[\s\S]*?""")|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gm,
}
const FUNCTION_BELOW =
  /^(?:\/\/\/.*\n\s*)+(?:#\[.*\]\s*)*(?:pub(?:\(.*?\))? )?(?:const |async |unsafe |extern "C" )*fn /
const FUNCTION_ABOVE = /\bdef [^\n]*\n\s*$/
const NAMES = /\b(?:fn|struct|enum|trait|type|const|static|mod|def|class) (?!fn\b|mut\b)(\w+)/g

/** Returns the reader of a language that TypeScript does not parse. @param {string} extension with its dot */
export function patternReader(extension) {
  const pattern = PATTERNS[extension]
  return pattern && ((/** @type {string} */ source) => read(source, pattern))
}

/** @param {string} source @param {RegExp} pattern @returns {Contents} */
function read(source, pattern) {
  const matches = [...source.matchAll(pattern)].filter(({ groups }) => groups?.comment)
  const comments = matches.map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
    kind: kindOf(source, text, index),
  }))
  const code = source.replaceAll(pattern, (text) => ' '.repeat(text.length))
  const names = [...code.matchAll(NAMES)].map(({ 1: text, index }) => ({
    kind: 'name',
    text,
    places: [[0, index]],
  }))
  return { comments, texts: names }
}

/** @param {string} source @param {string} text @param {number} index @returns {Kind} */
function kindOf(source, text, index) {
  if (text.startsWith('"""')) return FUNCTION_ABOVE.test(source.slice(0, index)) ? 'function' : 'value'
  if (!/^\/\/[/!]/.test(text)) return 'comment'
  return FUNCTION_BELOW.test(source.slice(index)) ? 'function' : 'value'
}
