// dist/cjs: the same text as dist/esm, but for how it imports and exports. So a tarball has it nearly for nothing, see pack.mjs. It is what
// tools get that cannot require ES modules: Jest, ts-node, Node without them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { edited, nodesOf, sourceOf } from './edits.mjs'
import { manifest, NAMES, out, published } from './names.mjs'

const HEAD = `"use strict";Object.defineProperty(exports,Symbol.toStringTag,{value:"Module"});\n`
/** As Node imports CommonJS: all that it exports is `default` too. */
const IMPORTED = 'const imported=(it)=>({__proto__:it,default:it});\n'
/** Jest's environment of a page has none of its own. */
const NOT_IN_JEST = { TextDecoder: 'node:util', TextEncoder: 'node:util', setImmediate: 'node:timers' }
/** Texts are for bundles, which are made of the ES modules: CommonJS has the files. */
const NEVER_ASKED = { './pool-worker-source.js': '{source:""}' }

/** Writes the CommonJS of the package's names, and of all that they lead to. */
export function writeCommonJs() {
  mkdirSync(join(out, 'dist/cjs'), { recursive: true })
  const files = new Set(Object.keys(NAMES).map((name) => `${name}.js`))
  for (const file of files) {
    const text = asCommonJs(readFileSync(join(out, 'dist/esm', file), 'utf8'), (own) => files.add(own))
    writeFileSync(join(out, 'dist/cjs', file.replace(/\.js$/, '.cjs')), text)
  }
}

/**
 * @param {string} code an ES module of dist/esm
 * @param {(file: string) => void} found is told which files of dist/esm it leads to
 */
function asCommonJs(code, found) {
  const placed = (specifier) => {
    const path = specifier.startsWith('#') ? published(manifest.imports[specifier].node) : specifier
    if (!path.startsWith('.') || path.endsWith('.cjs')) return path.replace('../cjs/', './')
    found(basename(path))
    return `./${basename(path).replace(/\.js$/, '.cjs')}`
  }
  const edits = [...nodesOf(code)].flatMap((node) => {
    const text = converted(node, sourceOf(node), placed)
    return text === undefined ? [] : [{ start: node.start, end: node.end, text }]
  })
  const text = edited(code, edits)
  const missing = Object.entries(NOT_IN_JEST).filter(([name]) =>
    new RegExp(`(?<![.\\w$])${name}\\b`).test(text),
  )
  const given = missing.map(([name, from]) => `const{${name}}=require("${from}");\n`)
  return [HEAD, text.includes('imported(') ? IMPORTED : '', ...given, text].join('')
}

/** @returns what stands in the place of a node; nothing where it stays */
function converted(node, specifier, placed) {
  if (specifier in NEVER_ASKED) return `Promise.resolve(${NEVER_ASKED[specifier]})`
  const required = specifier && `require("${placed(specifier)}")`
  switch (node.type) {
    case 'ImportDeclaration':
      return imports(node, required)
    case 'ImportExpression': {
      if (!required) throw new Error('dist/cjs: expected import() of what is known, got of something else')
      const result = /^[.#]/.test(specifier) ? required : `imported(${required})`
      return `Promise.resolve().then(()=>${result})`
    }
    case 'ExportNamedDeclaration':
      return exports(node, required)
    case 'MetaProperty':
      return '{url:require("node:url").pathToFileURL(__filename).href}'
    case 'ExportAllDeclaration':
    case 'ExportDefaultDeclaration':
      throw new Error(`dist/cjs: expected exports by their names, got ${node.type}`)
  }
}

function imports({ specifiers }, required) {
  if (specifiers.length === 0) return `${required};`
  const named = specifiers
    .filter(({ type }) => type === 'ImportSpecifier')
    .map(({ imported, local }) => pair(imported.name, local.name))
  const whole = specifiers
    .filter(({ type }) => type !== 'ImportSpecifier')
    .map(({ local }) => `${local.name}=${required}`)
  const all = [...whole, ...(named.length > 0 ? [`{${named}}=${required}`] : [])]
  return `const ${all};`
}

/** By assignments, which Node's and other parsers read. */
function exports({ specifiers, declaration }, required) {
  if (declaration) throw new Error('dist/cjs: expected a list of exports, got a declaration')
  const from = required ? `${required}.` : ''
  return specifiers.map(({ exported, local }) => `exports.${exported.name}=${from}${local.name};`).join('')
}

const pair = (imported, local) => (imported === local ? local : `${imported}:${local}`)
