// Reads comments, titles of tests, names, and sentences that the package prints in TypeScript and JavaScript, by TypeScript's parser.

import { createRequire } from 'node:module'

/** @typedef {import('typescript').Node} Node */
/** @typedef {import('./texts.mjs').Comment} Comment */
/** @typedef {import('./texts.mjs').Contents} Contents */
/** @typedef {import('./texts.mjs').Text} Text */

/**
 * TypeScript, loaded as CommonJS. `import` would search its text for exports first, which takes as long as parsing a thousand files.
 *
 * @type {typeof import('typescript')}
 */
const ts = createRequire(import.meta.url)('typescript')
const { FirstLiteralToken, LastTemplateToken } = ts.SyntaxKind
const TESTS = ['it', 'test', 'describe']
/** Files whose sentences readers of the package meet: in errors, logs, and what the command prints. */
const OF_PACKAGE = /^js\/(?!build\/)/
const SQL =
  /\balvarium\.\w|^\s*(?:select|insert|update|create|alter|delete|with|do|from|where|order) |^\w+ bigint,/

/** Reads a file. @param {string} text @param {string} path @returns {Contents} */
export function parse(text, path) {
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }
  const source = ts.createSourceFile(path, text, options)
  const globals = new Set(
    source.statements.flatMap((statement) => statement.declarationList?.declarations ?? []),
  )
  /** @type {[start: number, end: number][]} */
  const literals = []
  /** Positions of the docstrings of functions. */
  const functions = new Set()
  /** @type {Text[]} */
  const texts = []
  const visit = (/** @type {Node} */ node, /** @type {string} */ outerTitle) => {
    if (node.kind >= FirstLiteralToken && node.kind <= LastTemplateToken)
      literals.push([node.getStart(source), node.end])
    if (isFunction(node)) functions.add(docPosition(text, node))
    const sentence = OF_PACKAGE.test(path) && sentenceOf(node, source)
    if (sentence) texts.push(sentence)
    const name = nameOf(node, globals)
    if (name) texts.push(name)
    const title = titleOf(node, source)
    const logged = title && outerTitle ? `${outerTitle} > ${title.text}` : (title?.text ?? outerTitle)
    if (title) texts.push(title, { ...title, kind: 'logged', text: logged })
    ts.forEachChild(node, (child) => visit(child, logged))
  }
  visit(source, '')
  return { comments: commentsIn(text, literals, functions), texts }
}

/** Finds comments: whatever looks like one and is not in a literal. @returns {Comment[]} */
function commentsIn(text, literals, functions) {
  const comments = []
  const pattern = /\/\*[\s\S]*?\*\/|\/\/.*/g
  let next = 0
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const start = found.index
    const docKind = functions.has(start) ? 'function' : 'value'
    while (literals[next]?.[1] <= start) next++
    if (literals[next]?.[0] <= start) pattern.lastIndex = literals[next][1]
    else
      comments.push({ start, end: pattern.lastIndex, kind: /^\/\*\*/.test(found[0]) ? docKind : 'comment' })
  }
  return comments
}

/** Returns whether a docstring of a node is that of a function. Accessors are values: callers only see a property. */
function isFunction(node) {
  if (ts.isVariableStatement(node)) return isFunctionValue(node.declarationList.declarations[0]?.initializer)
  if (ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node))
    return isFunctionValue(node.initializer)
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)
}

function isFunctionValue(node) {
  return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
}

function docPosition(text, node) {
  return ts.getLeadingCommentRanges(text, node.pos)?.findLast(({ pos }) => text.startsWith('/**', pos))?.pos
}

/** Returns the name of a declaration, unless it is a local variable. */
function nameOf(node, globals) {
  if (!node.name || !(ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name))) return undefined
  const { text, end } = node.name
  const places = [[0, end - text.length]]
  if (ts.isTypeElement(node) || ts.isClassElement(node))
    return { kind: 'member', text: text.replace('#', ''), places }
  return globals.has(node) || ts.isDeclarationStatement(node) ? { kind: 'name', text, places } : undefined
}

/** Returns a string of three words or more, with `…` for inserted values and for code. */
function sentenceOf(node, source) {
  if (!(ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))) return undefined
  const start = node.getStart(source)
  const text = node
    .getText(source)
    .slice(1, -1)
    .replaceAll(/\$\{[^}]*\}|\\?`[^`]*`/g, '…')
  const isSentence = text.trim().split(/\s+/).length > 2 && !SQL.test(text)
  return isSentence ? { kind: 'printed', text, places: [[0, start]] } : undefined
}

/** Returns the title of a test, with `…` for inserted values. */
function titleOf(node, source) {
  if (!ts.isCallExpression(node) || !TESTS.includes(calledName(node))) return undefined
  const [first] = node.arguments
  if (first === undefined || !(ts.isStringLiteralLike(first) || ts.isTemplateExpression(first)))
    return undefined
  const text = first
    .getText(source)
    .slice(1, -1)
    .replaceAll(/\$\{[^}]*\}|\$[\w.]+|%\w/g, '…')
  return { kind: 'title', text, places: [[0, first.getStart(source)]] }
}

/** Returns `it` for a call of `it`, `it.skipIf(…)`, `it.each(…)` and so on. */
function calledName(node) {
  const callee = node.expression ?? node.tag
  return callee === undefined ? node.text : calledName(callee)
}
