// Counts the lines of a text with code on them.

import ts from 'typescript'

/** Beginnings of comments and strings, in languages that TypeScript's scanner does not read. */
const OTHERS = {
  '.rs': /\/\/[^\n]*|\/\*[\s\S]*?\*\/|r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)'/g,
  '.py': /#[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g,
}
const COMMENTS = { '.rs': /^\/[/*]/, '.py': /^(?:#|"""|''')/ }

/** @param {string} text @param {string} extension with its dot */
export function codeLines(text, extension) {
  return extension in OTHERS ? linesBeside(text, extension) : scannedLines(text)
}

/** Returns the lines with a token of TypeScript or JavaScript. @param {string} text */
function scannedLines(text) {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest)
  const lines = new Set()
  const add = (/** @type {number} */ start, /** @type {number} */ end) => {
    const first = source.getLineAndCharacterOfPosition(start).line
    const last = source.getLineAndCharacterOfPosition(end).line
    for (let line = first; line <= last; line++) lines.add(line)
  }
  // Visit the tree, because the scanner alone cannot tell a regular expression from a division, or read a template.
  const visit = (/** @type {ts.Node} */ node) => {
    const children = node.getChildren(source).filter(({ kind }) => kind !== ts.SyntaxKind.JSDoc)
    if (children.length === 0 && node.getWidth(source) > 0) add(node.getStart(source), node.end - 1)
    for (const child of children) visit(child)
  }
  visit(source)
  return lines.size
}

/** Returns the rest of the lines without their comments. @param {string} text @param {string} extension */
function linesBeside(text, extension) {
  const blank = (/** @type {string} */ found) =>
    COMMENTS[extension].test(found) ? found.replace(/[^\n]/g, ' ') : found
  return text
    .replace(OTHERS[extension], blank)
    .split('\n')
    .filter((line) => line.trim() !== '').length
}
