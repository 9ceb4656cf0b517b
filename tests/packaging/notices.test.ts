import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { alias, inject as injected } from '../../js/build/mqtt/settings.js'
import { nativeCargo } from '../../js/build/toolchain.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Part {
  readonly name: string
  readonly version: string
  readonly folder: string
}

describe('the licence notices in the tarball', () => {
  let notices = ''
  beforeAll(() => {
    const file = 'node_modules/alvarium-sdk/dist/THIRD-PARTY-NOTICES.txt'
    notices = readFileSync(join(inject('packed').folder, file), 'utf8')
  })

  it('name every package whose code is in a bundle, with its licence', async () => {
    const parts = await bundledParts()
    expect(parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['mqtt', 'ws', 'readable-stream', 'leven', 'valibot', 'structured-headers']),
    )
    expect(parts.flatMap(missingFrom)).toEqual([])
  })

  it('name every crate whose code is in the WebAssembly, with its licence', () => {
    const parts = compiledParts()
    expect(parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['curve25519-dalek', 'minicbor', 'subtle', 'talc', 'p256', 'unicode-ident']),
    )
    expect(parts.flatMap(missingFrom)).toEqual([])
  })

  it('state the licences of the schemas and of Rust’s libraries', () => {
    for (const one of ['core and alloc', 'schemas of SPDX', 'schemas of CycloneDX'])
      expect(notices).toContain(one)
  })

  /** Returns the missing parts of a package's notice: its title, or a licence other than Apache's if it has one. */
  function missingFrom({ name, version, folder }: Part): string[] {
    const files = readdirSync(folder).filter((file) => /^(un)?(licen[cs]e|copy|notice)/i.test(file))
    const short = files.filter((file) => !/apache/i.test(file))
    const texts = (short.length > 0 ? short : files).map((file) => readFileSync(join(folder, file), 'utf8'))
    const wanted = [`${name} ${version} (`, ...texts.flatMap(partsOf)]
    const missing = wanted.filter((text) => !words(notices).includes(text))
    if (texts.some((text) => words(text) === '')) missing.push(`${name}: a licence that says nothing`)
    return files.length === 0 ? [`${name}: no licence in its folder`] : missing
  }
})

const words = (text: string) => text.trim().replace(/\s+/g, ' ')

/**
 * Splits a licence into its copyright and its terms, which several packages share. Both are words, because line ends
 * differ.
 */
function partsOf(licence: string): string[] {
  const at = Math.max(licence.search(/^Permission (is hereby granted|to use)/m), 0)
  return [licence.slice(0, at), licence.slice(at)].map(words)
}

/** Returns the packages whose code is in a bundle: it bundles all of them once more, as one page. */
async function bundledParts(): Promise<Part[]> {
  const aliases = Object.fromEntries(alias.map(({ name, replacement }) => [name, replacement]))
  const bundle = await rolldown({
    input: [
      'js/build/mqtt/client.js',
      ...[
        'entries/script',
        'sdk/pool/pool',
        'sdk/pool/worker',
        'transport/streams/outbox/outbox',
        'transport/http/http',
      ].map((name) => `dist/${name}.js`),
    ].map((path) => join(root, path)),
    platform: 'browser',
    resolve: { alias: aliases },
    transform: { inject: injected },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  return [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { name, version, folder }
  })
}

/** Returns the crates that cargo compiles to WebAssembly. */
function compiledParts(): Part[] {
  const wanted = ['--package', 'alvarium-core', '--package', 'algorithms']
  const how = [
    '--target',
    'wasm32-unknown-unknown',
    '--edges',
    'normal',
    '--prefix',
    'none',
    '--format',
    '{p}',
  ]
  const tree = execFileSync(nativeCargo() ?? 'cargo', ['tree', '--locked', ...wanted, ...how], {
    cwd: join(root, 'crate'),
    encoding: 'utf8',
  })
  const sources = join(process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'), 'registry/src')
  const [registry = ''] = readdirSync(sources)
  const titles = new Set(
    tree.split('\n').flatMap((line) => /^\S+ v\S+(?=$| )(?! \(\/)/.exec(line)?.[0] ?? []),
  )
  return [...titles]
    .map((title) => title.split(' v') as [string, string])
    .filter(([name]) => !['alvarium-core', 'algorithms', 'ed25519x4'].includes(name))
    .map(([name, version]) => ({ name, version, folder: join(sources, registry, `${name}-${version}`) }))
}
