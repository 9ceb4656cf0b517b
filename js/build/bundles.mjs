// Bundles parts of the package into single files.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { alias, inject } from './mqtt/settings.js'
import { packagesOf } from './notices.mjs'
import { sourceMaps } from './package/modules.mjs'

/**
 * Combines dist/sdk/pool/worker.js and its imports in one file, and writes a minified copy as text into
 * worker-source.js. A pool starts its workers from that copy if an application's bundler omits worker.js.
 *
 * @param {string} root of the checkout, after its TypeScript was compiled
 */
export async function bundleWorker(root) {
  const dist = join(root, 'dist')
  const file = join(dist, 'sdk/pool/worker.js')
  const options = {
    input: file,
    resolve: {
      alias: {
        '#core': join(dist, 'foundation/modules/none.js'),
        '#platform': join(dist, 'foundation/platform/in-worker.js'),
      },
    },
  }
  // Use the IIFE format, so that the file runs as a module, as a script and from text.
  const text = await bundled(options, { format: 'iife', minify: true })
  const { code, map } = await bundled(options, { format: 'iife', sourcemap: true, file })
  writeFileSync(file, `${code}//# sourceMappingURL=worker.js.map\n`)
  writeFileSync(`${file}.map`, map.toString())
  writeFileSync(
    join(dist, 'sdk/pool/worker-source.js'),
    `export const source = ${JSON.stringify(text.code)}\n`,
  )
}

/**
 * Writes the library mqtt.js for browsers as one file: see js/foundation/platform/transport-browser.ts.
 *
 * @param {string} root of the checkout, after its TypeScript was compiled
 */
export async function bundleMqtt(root) {
  const { code } = await mqttBundle(root)
  writeFileSync(join(root, 'dist/foundation/platform/mqtt-browser.js'), code)
}

/**
 * Combines the modules of mqtt.js in one file. Returns the code of the file, and the paths of the bundled
 * modules.
 *
 * @param {string} root
 */
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
 * Writes dist/signing/artifacts/schemas.js: the SBOM schemas as text, without keywords that check nothing.
 *
 * @param {string} root of the checkout
 */
export function bundleSchemas(root) {
  const folder = join(root, 'js/signing/artifacts/schemas')
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const texts = files.map((name) => {
    const { $schema, ...schema } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    return [name.replace('.json', ''), JSON.stringify(demands(schema))]
  })
  const text = JSON.stringify(Object.fromEntries(texts))
  writeFileSync(join(root, 'dist/signing/artifacts/schemas.js'), `export const schemas = ${text}\n`)
}

const FOR_PEOPLE = ['title', 'description', 'examples', '$comment', 'meta:enum', 'deprecated', 'default']
/** JSON Schema formats that are not checked, because nothing depends on addresses in non-Latin scripts. */
const NOT_LOOKED_AT = ['iri-reference', 'idn-email']
/** JSON Schema keywords that map arbitrary names to schemas. */
const NAMED = ['properties', 'patternProperties', 'definitions']

/**
 * Returns a schema without the keywords that check nothing.
 *
 * @param {unknown} schema
 */
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
 * Returns whether a keyword of a schema checks something.
 *
 * @param {Record<string, any>} schema
 * @param {string} name of the keyword
 */
function isDemand(schema, name) {
  if (name === 'format') return !NOT_LOOKED_AT.includes(schema.format)
  // `additionalItems` applies only if `items` is an array with a schema for each position.
  if (name === 'additionalItems') return Array.isArray(schema.items)
  return !FOR_PEOPLE.includes(name)
}

/**
 * Combines a module and its imports in one file.
 *
 * @param {import('rolldown').InputOptions} options
 * @param {import('rolldown').OutputOptions} output
 * @throws {Error} when the bundle would still import a module
 */
async function bundled(options, output) {
  const bundle = await rolldown({ ...options, plugins: [sourceMaps] })
  const made = await bundle.generate({ strict: true, codeSplitting: false, ...output })
  await bundle.close()
  const [{ code, map, imports, moduleIds }] = made.output
  if (imports.length > 0) throw new Error(`${options.input}: expected no imports, got ${imports.join(', ')}`)
  return { code: `${credits(moduleIds)}${code}`, map, modules: moduleIds }
}

function credits(modules) {
  const names = packagesOf(modules).map(({ name, version, licence }) => `${name} ${version} (${licence})`)
  return names.length > 0 ? `/*! With ${names.sort().join(', ')}: see THIRD-PARTY-NOTICES.txt */\n` : ''
}
