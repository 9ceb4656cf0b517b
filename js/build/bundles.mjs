// What the compiled package has in one file of its own instead of modules.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { alias, inject } from './mqtt/settings.js'
import { packagesOf } from './notices.mjs'
import { sourceMaps } from './package/modules.mjs'

/**
 * Makes dist/pool/worker.js one file that imports nothing; and the same, minified, as text in a module: bundlers leave behind files that
 * they know nothing of, and a pool starts its workers from the text then.
 *
 * @param {string} root the checkout, its TypeScript compiled
 */
export async function bundleWorker(root) {
  const dist = join(root, 'dist')
  const file = join(dist, 'pool/worker.js')
  const options = {
    input: file,
    resolve: {
      alias: { '#core': join(dist, 'modules/none.js'), '#platform': join(dist, 'platform/in-worker.js') },
    },
  }
  // No `import` and no `export`: it runs as a module, as a script and as text.
  const text = await bundled(options, { format: 'iife', minify: true })
  const { code, map } = await bundled(options, { format: 'iife', sourcemap: true, file })
  writeFileSync(file, `${code}//# sourceMappingURL=worker.js.map\n`)
  writeFileSync(`${file}.map`, map.toString())
  writeFileSync(join(dist, 'pool/worker-source.js'), `export const source = ${JSON.stringify(text.code)}\n`)
}

/**
 * Writes dist/platform/mqtt-browser.js, see js/platform/transport-browser.ts.
 *
 * @param {string} root the checkout, its TypeScript compiled
 */
export async function bundleMqtt(root) {
  const { code } = await mqttBundle(root)
  writeFileSync(join(root, 'dist/platform/mqtt-browser.js'), code)
}

/** Puts mqtt.js together, and lists the modules in it. @param {string} root the checkout */
export async function mqttBundle(root) {
  const input = join(root, 'js/build/mqtt/client.js')
  const aliases = Object.fromEntries(alias.map(({ name, replacement }) => [name, replacement]))
  const options = {
    input,
    platform: /** @type {const} */ ('browser'),
    resolve: { alias: aliases },
    transform: { inject },
  }
  return bundled(options, { format: 'esm' })
}

/**
 * Writes dist/artifacts/schemas.js: the schemas of SBOMs as text, for whoever checks one, without what only people read.
 *
 * @param {string} root the checkout
 */
export function bundleSchemas(root) {
  const folder = join(root, 'js/artifacts/schemas')
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const texts = files.map((name) => {
    const { $schema, ...schema } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    return [name.replace('.json', ''), JSON.stringify(demands(schema))]
  })
  const text = JSON.stringify(Object.fromEntries(texts))
  writeFileSync(join(root, 'dist/artifacts/schemas.js'), `export const schemas = ${text}\n`)
}

const FOR_PEOPLE = ['title', 'description', 'examples', '$comment', 'meta:enum', 'deprecated', 'default']
/** For addresses in other scripts than ours: nothing here depends on them. */
const NOT_LOOKED_AT = ['iri-reference', 'idn-email']
/** What is in these has names of its own. */
const NAMED = ['properties', 'patternProperties', 'definitions']

/** @param {unknown} schema */
function demands(schema) {
  if (Array.isArray(schema)) return schema.map(demands)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([name]) => isDemand(schema, name))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (!NAMED.includes(name)) return [name, demands(value)]
      return [name, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, demands(one)]))]
    }),
  )
}

/**
 * @param {Record<string, any>} schema
 * @param {string} name of a member of it
 */
function isDemand(schema, name) {
  if (name === 'format') return !NOT_LOOKED_AT.includes(schema.format)
  // It counts for lists in which each place has a schema of its own.
  if (name === 'additionalItems') return Array.isArray(schema.items)
  return !FOR_PEOPLE.includes(name)
}

/**
 * @param {import('rolldown').InputOptions} options
 * @param {import('rolldown').OutputOptions} output
 * @throws {Error} when something would still have to be imported
 */
async function bundled(options, output) {
  const bundle = await rolldown({ ...options, plugins: [sourceMaps] })
  const made = await bundle.generate({ strict: true, codeSplitting: false, ...output })
  await bundle.close()
  const [{ code, map, imports, moduleIds }] = made.output
  if (imports.length > 0) throw new Error(`${options.input}: expected no imports, got ${imports.join(', ')}`)
  return { code: `${credits(moduleIds)}${code}`, map, modules: moduleIds }
}

/** Whose code is in a bundle. */
function credits(modules) {
  const names = packagesOf(modules).map(({ name, version, licence }) => `${name} ${version} (${licence})`)
  return names.length > 0 ? `/*! With ${names.sort().join(', ')}: see THIRD-PARTY-NOTICES.txt */\n` : ''
}
