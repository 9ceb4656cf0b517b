// The core and the platform come with what needs them. In dist, and in dist/cjs, a name imports both for their effect, which is the plainest.
// A bundler cannot leave out what has an effect: a page that uses nothing of a name, or an error's class alone, would have the core's text.
// So in dist/esm what supplies them is a function, and the exports that need it have been through it. Those calls are marked as pure: they
// go where their export is not used, and the core with the last of them. This needs nothing of a bundler but what it does with all code.

import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { edited, nodesOf, sourceOf } from './edits.mjs'
import { manifest, NAMES, out, PAGES, published } from './names.mjs'

/** Exports that work without a core and without a platform. */
const NEEDS_NEITHER = /^(?:AlvariumError|toHex|KINDS|isSet|\w+Event)$/

const SUPPLIED = ['#modules', '#beside', '#ed25519', '#platform']
/** The files that supply them, without their folder. */
const SUPPLIERS = new Set(
  SUPPLIED.flatMap((specifier) => Object.values(manifest.imports[specifier])).map((path) =>
    basename(published(path)),
  ),
)

export function writeWithoutEffects() {
  for (const file of SUPPLIERS) rewrite(`dist/esm/${file}`, asFunction)
  for (const name of Object.keys(NAMES)) rewrite(`dist/esm/${name}.js`, withSupplied)
  for (const name of PAGES) rewrite(`dist/browser/${name}.js`, suppliedAtOnce)
}

function rewrite(path, change) {
  const file = join(out, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** What a module does when it is loaded, as a function that does it once, and returns what it is given. */
function asFunction(code) {
  const statements = nodesAtTop(code).filter(({ type }) => type === 'ExpressionStatement')
  const effects = statements.map(({ expression }) => code.slice(expression.start, expression.end))
  const rest = edited(
    code,
    statements.map(({ start, end }) => ({ start, end, text: '' })),
  ).trim()
  if (effects.length === 0) return 'const supplied=it=>it;\nexport{supplied};\n'
  return `${rest}\nlet isSupplied;\nconst supplied=it=>(isSupplied||=(${effects},1),it);\nexport{supplied};\n`
}

/** @param {string} code a name that imports what supplies it for its effect */
function withSupplied(code) {
  const imports = importsForEffect(code)
  const lists = nodesAtTop(code).filter(({ type }) => type === 'ExportNamedDeclaration')
  const names = lists.flatMap(({ specifiers, source }) =>
    specifiers.map(({ local, exported: { name } }) => ({ name, own: source ? `own${name}` : local.name })),
  )
  if (imports.length === 0) return code
  if (names.length === 0) return suppliedAtOnce(code)
  const [some, rest] = [true, false].map((is) => names.filter(({ name }) => NEEDS_NEITHER.test(name) !== is))
  const made = some.map(({ name, own }) => `made${name}=/*#__PURE__*/supplied(${own})`)
  const exported = [
    ...rest.map(({ name, own }) => (name === own ? own : `${own} as ${name}`)),
    ...some.map(({ name }) => `made${name} as ${name}`),
  ]
  return `${edited(code, [...imports.map(imported), ...lists.map(asImports)]).trimEnd()}
const supplied=it=>${through(imports, 'it')};
const ${made.join(',\n')};
export{${exported}};
`
}

/** A list of exports out of another module, as imports of it. */
const asImports = ({ start, end, specifiers, source }) => ({
  start,
  end,
  text: source
    ? `import{${specifiers.map(({ local, exported }) => `${local.name} as own${exported.name}`)}}from"${source.value}";`
    : '',
})

/** For who imports a name for nothing else; and for pages, whose files have effects. */
function suppliedAtOnce(code) {
  const imports = importsForEffect(code)
  return `${edited(code, imports.map(imported))}\n${imports.length > 0 ? `${through(imports, '')};\n` : ''}`
}

const importsForEffect = (code) =>
  nodesAtTop(code).filter(
    (node) => node.type === 'ImportDeclaration' && node.specifiers.length === 0 && isSupplier(sourceOf(node)),
  )

const isSupplier = (specifier) => SUPPLIED.includes(specifier) || SUPPLIERS.has(basename(specifier))

const imported = ({ start, end, source }, at) => ({
  start,
  end,
  text: `import{supplied as supplied${at}}from"${source.value}";`,
})

/** `supplied0(supplied1(it))` */
const through = (imports, it) => imports.reduce((inner, _, at) => `supplied${at}(${inner})`, it)

const nodesAtTop = (code) => [...nodesOf(code)].find(({ type }) => type === 'Program').body
