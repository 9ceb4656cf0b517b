// dist/browser: the package for pages without a bundler, and for bundlers that know nothing of package.json's `exports`. As modules
// that import nothing but each other by relative paths, for an import map; these load mqtt.js only when it is wanted. They are the text
// of dist/esm with files for pages in the place of `#platform` and its like; what imports none of these is a file of dist/esm itself.
// And as a script, for a script tag, that is a whole in one file; it loads the other algorithms from beside it.

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { edited, nodesOf, sourceOf } from './edits.mjs'
import { dist, fileOf, manifest, out, PAGES, published, root } from './names.mjs'

const BANNER =
  '/*! alvarium-sdk (Apache-2.0), with mqtt, valibot, leven (MIT) and what they bring: see THIRD-PARTY-NOTICES.txt */'
/** The one that is put together of its modules is two thirds of what mqtt.js brings for browsers. */
const MQTT = 'platform/mqtt-workerd'
const YAML = 'yaml.js'
/** What each page needs of its platform, in one file, so that it asks for one. */
const HERE = 'later/pages'
const PLATFORM = 'platform.js'
/** In the place of `#mqtt-transport`: mqtt.js out of a file beside it, as pages find no packages. */
const TRANSPORT = 'platform/transport-workerd'
/** What it shares with others. */
const APART = /^\.\/shared-/
const CORE = 'core/generated/inline'
const PART = 'core/generated/ed25519'
/** Read by script tags too: dist/browser/algorithms.js. */
const TEXT = 'algorithms/generated/inline'

/** @returns {Promise<readonly string[]>} the modules in them */
export async function bundlePages() {
  cpSync(dist(TEXT), join(out, 'dist/browser/algorithms.js'))
  const yaml = await bundled({ input: { yaml: YAML }, plugins: [yamlForPages] }, { format: 'esm' })
  await bundled({ input: { platform: dist(HERE) }, plugins: [ofPublished] }, { format: 'esm' })
  const script = await bundled(
    { input: { script: dist('entries/script') }, plugins: [ownText, coreAround, textBeside] },
    { format: 'iife', name: 'alvarium', codeSplitting: false },
  )
  const modules = modulesOfPages()
  for (const [file, text] of modules)
    writeFileSync(join(out, 'dist/browser', file), `${BANNER}\n${text}${askedForAtOnce(file, modules)}`)
  return [...yaml, ...script]
}

/** `#beside` in pages: a file that need not be asked for. */
const NOTHING = /import"\.\.\/esm\/modules-none\.js";\n?/

/** @returns {Map<string, string>} what of dist/esm is another text in pages, and the names themselves: by their files */
function modulesOfPages() {
  const files = filesOfPages()
  const isOwn = new Set(PAGES.map((name) => `${name}.js`))
  for (let before = 0; before < isOwn.size; ) {
    before = isOwn.size
    for (const [file, { leadsTo }] of files) {
      if (leadsTo.some(({ specifier, file }) => !specifier.startsWith('.') || isOwn.has(file)))
        isOwn.add(file)
    }
  }
  const texts = [...isOwn].map((file) => {
    const { code, leadsTo } = files.get(file)
    const edits = leadsTo.map(({ start, end, file }) => ({
      start,
      end,
      text: `"${isOwn.has(file) || file === PLATFORM ? './' : '../esm/'}${file}"`,
    }))
    return [file, edited(code, edits).replace(NOTHING, '')]
  })
  return new Map(texts)
}

/**
 * The names say what the files that they import import in turn: a browser asks for all of them then, and not for each after it has read
 * another. That takes a tenth of the time to a first signature, from a cache.
 *
 * @param {string} file
 * @param {Map<string, string>} modules
 */
function askedForAtOnce(file, modules) {
  if (!PAGES.includes(basename(file, '.js'))) return ''
  const imported = (path) => {
    const code = modules.get(path) ?? readFileSync(join(out, 'dist/browser', path), 'utf8')
    const named = [...nodesOf(code)]
      .filter(({ type }) => type !== 'ImportExpression')
      .flatMap((node) => sourceOf(node) ?? [])
    return named.map((specifier) => posix.join(posix.dirname(path), specifier))
  }
  const reached = new Set(imported(file))
  const own = reached.size
  for (const path of reached) for (const next of imported(path)) reached.add(next)
  const more = [...reached].slice(own).map((path) => `import"${path.startsWith('../') ? '' : './'}${path}";`)
  return more.length > 0 ? `\n${more.join('')}` : ''
}

/** The files of dist/esm that pages load, or would if it were for one of them, and where they name others. */
function filesOfPages() {
  const files = new Map(PAGES.map((name) => [`${name}.js`, undefined]))
  for (const file of files.keys()) {
    const code = readFileSync(join(out, 'dist/esm', file), 'utf8')
    const named = [...nodesOf(code)].filter((node) => sourceOf(node) !== undefined)
    const leadsTo = named
      .map((node) => ({ specifier: sourceOf(node), start: node.source.start, end: node.source.end }))
      // The same from either folder; and what PLATFORM says in another way.
      .filter(({ specifier }) => !specifier.startsWith('../') && specifier !== 'yaml')
      .map((one) => ({ ...one, file: fileFor(one.specifier) }))
    files.set(file, { code, leadsTo })
    for (const { file } of leadsTo) if (file !== PLATFORM && !files.has(file)) files.set(file, undefined)
  }
  return files
}

/** @throws {Error} where a page would have to find a package */
function fileFor(specifier) {
  if (specifier === '#platform' || specifier === '#later') return PLATFORM
  if (specifier.startsWith('#')) return basename(published(manifest.imports[specifier].default))
  if (!specifier.startsWith('./')) throw new Error(`dist/browser: expected files beside it, got ${specifier}`)
  return basename(specifier)
}

/** PLATFORM is put together of files of dist/esm, as they share what they know; what others have too stays there. */
const ofPublished = {
  name: 'of-published',
  resolveId(id, importer) {
    if (!importer) return undefined
    if (id === 'yaml') return { id: `./${YAML}`, external: true }
    if (id === '#mqtt-transport') return { id: `../esm/${fileOf(TRANSPORT)}.js`, external: true }
    const file = importer === dist(HERE) ? ofModule(resolve(dirname(importer), id)) : id
    if (APART.test(file)) return { id: `../esm/${basename(file)}`, external: true }
    return join(out, 'dist/esm', file)
  },
}

/** The file of dist/esm that a module of dist has become. */
const ofModule = (path) => `./${fileOf(relative(join(root, 'dist'), path))}`

const ofYaml = "export { Composer, Lexer, Parser } from 'yaml'"
/** What base/options/written reads policies of trust with. */
const yamlForPages = {
  name: 'yaml-for-pages',
  resolveId: (id) => (id === YAML ? id : undefined),
  load: (id) => (id === YAML ? { code: ofYaml, moduleType: 'js' } : undefined),
}

/**
 * A script has what its workers run already: they get its own text, which says first that it is to serve. That is a function's, so it needs
 * no file, and is not there twice.
 */
const ownText = {
  name: 'own-text',
  load(id) {
    if (id !== dist('pool/worker-source')) return undefined
    const first = `"globalThis[Symbol.for('alvarium-sdk.serving')] = true;"`
    return `export const source = ${first} + '(' + wholeScript + ')({})'`
  },
  renderChunk(code) {
    const named = code.replace('(function(', '(function wholeScript(')
    if (named === code) throw new Error('script.js: expected it to be a function, got none')
    return named
  },
}

/** gzip finds so much of the core's text in the files before and after the script in the tarball: see pack.mjs. */
const NEAR = 31_000

/** In a script, what its core has beside that of Ed25519 comes first, and how that begins comes last. */
const coreAround = {
  name: 'core-around',
  async load(id) {
    if (id !== dist(CORE) && id !== dist(PART)) return undefined
    const { length, base64 } = await textOf(id)
    const text = id === dist(CORE) ? 'restOfCore' : `startOfPart() + '${base64.slice(NEAR)}'`
    return `export const packed = { length: ${length}, base64: ${text} }`
  },
  async renderChunk(code) {
    const [rest, part] = [await textOf(dist(CORE)), await textOf(dist(PART))]
    return code
      .replace(/\(function \w+\(\w+\) \{/, `$&var restOfCore = '${rest.base64}';`)
      .replace(/\}\)\(\{\}\);?\s*$/, `function startOfPart() { return '${part.base64.slice(0, NEAR)}' }$&`)
  },
}

const textOf = async (id) => (await import(pathToFileURL(id).href)).packed

/** The other algorithms. */
const textBeside = {
  name: 'text-beside',
  resolveId(id, importer) {
    const isText = importer && id.startsWith('.') && resolve(dirname(importer), id) === dist(TEXT)
    return isText ? { id: './algorithms.js', external: true } : undefined
  },
}

async function bundled(options, output) {
  const bundle = await rolldown({
    platform: 'browser',
    transform: {
      target: 'es2022',
      // A script has no such thing: its pool starts workers from their text.
      ...(output.format === 'iife' && { define: { 'import.meta.url': 'undefined' } }),
    },
    resolve: { alias: { mqtt: dist(MQTT) } },
    ...options,
  })
  const settings = {
    dir: join(out, 'dist/browser'),
    entryFileNames: '[name].js',
    minify: true,
    comments: false,
    postBanner: BANNER,
  }
  const { output: files } = await bundle.write({ ...settings, ...output })
  await bundle.close()
  return files.flatMap(({ moduleIds = [] }) => moduleIds)
}
