// Declarations of a TypeScript file, by its syntax tree.

import ts from 'typescript'

/** Kinds of text in which `//` begins no comment. */
const LITERALS = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.RegularExpressionLiteral,
])

/** @param {string} source @returns {import('./declarations.mjs').Reading} */
export function readTypeScript(source) {
  const tree = ts.createSourceFile('a.ts', source, ts.ScriptTarget.ESNext, true)
  /** @type {import('./declarations.mjs').Part[]} */
  const parts = []
  let [bare, end] = ['', 0]
  /** @param {ts.Node} node @param {string | undefined} owner */
  const visit = (node, owner) => {
    const start = node.getStart(tree)
    if (LITERALS.has(node.kind)) {
      bare += withoutComments(source.slice(end, start)) + source.slice(start, node.end)
      end = node.end
    }
    const name = nameOf(node, ts.isSourceFile(node.parent ?? tree))
    if (name !== undefined) parts.push({ name, owner, start, end: node.end })
    ts.forEachChild(node, (child) => visit(child, ts.isClassLike(node) ? node.name?.text : owner))
  }
  visit(tree, undefined)
  return { bare: bare + withoutComments(source.slice(end)), parts }
}

/**
 * Returns the name of a function, method, class or field, or of a variable outside all functions.
 *
 * @param {ts.Node} node @param {boolean} isTop
 */
function nameOf(node, isTop) {
  if (ts.isConstructorDeclaration(node)) return node.body && 'constructor'
  if (ts.isVariableStatement(node)) {
    const [first] = node.declarationList.declarations
    const isFunction = first?.initializer && ts.isFunctionLike(first.initializer)
    return first && ts.isIdentifier(first.name) && (isTop || isFunction) ? first.name.text : undefined
  }
  const isBodiless = ts.isFunctionLike(node) && !('body' in node && node.body)
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isClassElement(node) ||
    ts.isClassDeclaration(node) ||
    ts.isMethodDeclaration(node)
  const isFunction = ts.isPropertyAssignment(node) && ts.isFunctionLike(node.initializer)
  if (isBodiless || !(isNamed || isFunction) || !node.name || ts.isComputedPropertyName(node.name))
    return undefined
  return node.name.text.replace(/^#/, '')
}

/** @param {string} text outside all literals */
function withoutComments(text) {
  return text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, blank)
}

/** @param {string} text @returns spaces, as many */
export function blank(text) {
  return text.replace(/\S/g, ' ')
}
