import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type OutputChunk, rolldown } from 'rolldown'
import { describe, expect, inject, it } from 'vitest'
import { NAMES } from '../../js/build/package/names.mjs'
import { printed } from './packed.js'

/** Returns the range of gzip sizes that agrees with a page of the guide: bundlers differ by a few hundredths. */
async function saidBy(pattern: RegExp, name = 'runtimes'): Promise<[least: number, most: number]> {
  const page = await readFile(new URL(`../../examples/guide/${name}.md`, import.meta.url), 'utf8')
  const said = Number(pattern.exec(page)?.[1])
  return [970 * said - 500, 1030 * said + 500]
}

function bundled(names: string, entry: string): Promise<OutputChunk[]> {
  return chunksOf(`import ${names} from '${entry}'\nconsole.log(${names.replace('* as ', '')})\n`)
}

async function chunksOf(program: string): Promise<OutputChunk[]> {
  const input = join(inject('packed').folder, 'weight.mjs')
  await writeFile(input, program)
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return output.filter((chunk) => chunk.type === 'chunk')
}

const has = (module: string) => (chunk: OutputChunk) => chunk.moduleIds.some((id) => id.endsWith(module))
/** Modules loaded on first use: of a key of another algorithm, and of a source. */
const isOfAlgorithms = has('/algorithms/generated/inline.js')
const isOfSources = has('/sources/digest.js')
const isApart = (chunk: OutputChunk) => isOfAlgorithms(chunk) || isOfSources(chunk)
/** WebAssembly embedded as text. */
const CORE = /base64:\s*[`'"][\w+/]{1000}/
const OF_NODE = /^(config|file|opentelemetry|sources-node|store|store-serve)$/
const weightOf = (code: string | Uint8Array) => gzipSync(code, { level: 9 }).length

/** Bytes of gzip that a page loads, the core included, and the sentence in the guide. */
// claim: runtimes-3, runtimes-6
it.each([
  ['* as verifying', 'alvarium-sdk/verify', 110_000, /verify` is (\d+) kB of gzip/],
  ['* as everything', 'alvarium-sdk', 205_000, /All of `alvarium-sdk` is (\d+) kB/],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk/verify', 102_000, /makes (\d+) kB of either/],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk', 102_000, /makes (\d+) kB of either/],
])(
  'a bundle of "import %s from %s" has less than %i bytes after gzip, as the guide says',
  async (names, entry, most, pattern) => {
    const chunks = await bundled(names, entry)
    // Chunks loaded on first use have their own budgets, and only they are left out.
    expect(chunks.filter(isOfAlgorithms)).toHaveLength(1)
    expect(chunks.filter(isOfSources)).toHaveLength(1)
    const code = chunks.filter((chunk) => !isApart(chunk)).map((chunk) => chunk.code)
    const length = weightOf(code.join(''))
    const [least, longest] = await saidBy(pattern)
    expect(length).toBeLessThan(most)
    expect(length).toBeGreaterThan(least)
    expect(length).toBeLessThan(longest)
  },
)

const NEEDED_BY_NOBODY = /^ *(?:\/\/.*)?$/
const codeOf = async (program: string) => (await chunksOf(program)).map(({ code }) => code).join('\n')

describe('a bundle made from the package', () => {
  // Some entries are for Node only, and one needs a package that is not installed here.
  const names = Object.keys(NAMES).filter((name) => !OF_NODE.test(name) && !/^(core|reference)$/.test(name))

  it.each(names)('contains no code of an unused import of %s', async (name) => {
    const specifier = join('alvarium-sdk', name === 'default' ? '' : name.replace('-', '/'))
    const code = await codeOf(`import * as all from '${specifier}'\nconsole.log(1)\n`)
    expect(code.split('\n').filter((line) => !NEEDED_BY_NOBODY.test(line))).toEqual(['console.log(1);'])
  })

  it.each(['AlvariumError', 'KINDS', 'toHex', 'RejectedEvent'])(
    'contains no WebAssembly core if it only uses %s',
    async (name) => {
      const code = await codeOf(`import { ${name} } from 'alvarium-sdk'\nconsole.log(${name})\n`)
      expect(code).not.toMatch(CORE)
    },
  )

  it('contains the WebAssembly core if it uses a function that needs the core', async () => {
    expect(
      await codeOf("import { readPolicy } from 'alvarium-sdk/score'\nreadPolicy({ version: 1 })\n"),
    ).toMatch(CORE)
  })
})

describe('the front ends of the guide', () => {
  const NAMES = '{ mqtt, openSdk, source, subscribe, tls }'
  const isMqtt = has('/platform/transport-browser.js')
  /** Returns whether the entry loads a chunk at once: it is the entry, or imported by it directly or not. */
  const isWithPage = (chunk: OutputChunk, chunks: OutputChunk[]) => {
    const names = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
    for (const name of names)
      for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(next)
    return names.has(chunk.fileName)
  }
  const sum = (chunks: OutputChunk[]) =>
    chunks.map(({ code }) => weightOf(code)).reduce((total, length) => total + length, 0)

  // claim: react-vue-7
  it.each([
    ['with the page', /(\d+) kB \| with the page/, isWithPage],
    ['for MQTT', /(\d+) kB \| when [^|]* connects/, isMqtt],
    ['for P-256', /(\d+) kB \| when P-256/, isOfAlgorithms],
  ])('load as much code %s as the guide says', async (_, pattern, isMeant) => {
    const chunks = await bundled(NAMES, 'alvarium-sdk')
    const [least, most] = await saidBy(pattern, 'react-vue')
    const length = sum(chunks.filter((chunk) => isMeant(chunk, chunks)))
    expect(length).toBeGreaterThan(least)
    expect(length).toBeLessThan(most)
  })
})

// claim: runtimes-4
it('the code that reads payload sources is a separate chunk, and weighs as much as the guide says', async () => {
  const chunks = await bundled('* as verifying', 'alvarium-sdk/verify')
  const [least, most] = await saidBy(/is (\d+) kB more, loaded with the first/)
  const length = weightOf(chunks.find(isOfSources)?.code ?? '')
  expect(length).toBeGreaterThan(least)
  expect(length).toBeLessThan(most)
})

// claim: runtimes-5
it('the script for pages without a bundler weighs as much as the guide says', async () => {
  const script = await readFile(new URL('../../package/sdk/dist/browser/script.js', import.meta.url))
  const length = weightOf(script)
  const [least, most] = await saidBy(/pool and outbox: (\d+) kB of gzip/)
  expect(length).toBeGreaterThan(least)
  expect(length).toBeLessThan(most)
})

it('alvarium-sdk/verify verifies messages, and exports nothing that signs, publishes or subscribes', async () => {
  const { folder } = inject('packed')
  expect(JSON.parse(await printed('node', ['node-verify/main.mjs'], folder))).toEqual({
    payloadChecked: true,
    missing: ['openSdk', 'mqtt', 'generateKey', 'subscribe'],
    required: 'function',
  })
})
