// @slow

import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generateKey, toHex } from 'alvarium-sdk'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { HANGS_MS } from '../support/limits.js'
import { projectFolder } from '../support/project.js'
import { examples, moduleOf, OPTIONS, SHARED, SURROUNDINGS } from './examples.js'

/** Examples that do not run here, by a part of their code, and the reason. */
const ELSEWHERE: readonly (readonly [part: RegExp, why: string])[] = [
  [/\?url'/, 'for bundlers: npm run matrix builds it'],
  [/'\/assets\//, 'for pages: tests/pool has it'],
  [/for await .*\b(subscribe|bundles)\b/, 'goes on for ever: tests/guide has some that end'],
  [/\bfetch\(|findVulnerabilities/, 'asks a server elsewhere: tests/http and tests/artifacts have their own'],
]
const RUN = examples().filter(({ code }) => !ELSEWHERE.some(([part]) => part.test(code)))

describe('an example in a docstring', () => {
  /** The outcome of each example, by its index: undefined, or an error. */
  let ends: Map<number, string | undefined>
  beforeAll(async () => {
    const folder = await projectFolder('examples')
    const broker = await startEmbedded()
    try {
      await furnish(folder)
      ends = await run(folder, broker.url)
    } finally {
      await broker.stop()
      await rm(folder, { recursive: true })
    }
  }, 4 * HANGS_MS)

  it.each(RUN.map(({ place }, at) => ({ place, at })))('runs without an error: $place', ({ at }) => {
    expect(ends.has(at)).toBe(true)
    expect(ends.get(at)).toBeUndefined()
  })
})

/** Writes the files that examples name. */
async function furnish(folder: string): Promise<void> {
  const { signingKey, verifyingKey } = generateKey()
  const p256 = await generateKey({ algorithm: 'P-256' })
  const files = {
    'own.key': toHex(signingKey),
    'private.key': toHex(signingKey),
    'edge-7.key': toHex(verifyingKey),
    'edge-8.key': toHex(generateKey().verifyingKey),
    'rust/private.key': toHex(signingKey.subarray(0, 32)),
    'p256.pem': p256.signingKey,
    'config.json': CONFIG,
    'package.json': '{ "type": "module" }',
    'measurements.parquet': 'PAR1',
  }
  await mkdir(join(folder, 'rust'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
}

const CONFIG = JSON.stringify({
  sdk: {
    annotators: [{ kind: 'src' }],
    hash: { type: 'sha256' },
    signature: {
      public: { type: 'ed25519', path: 'edge-7.key' },
      private: { type: 'ed25519', path: 'private.key' },
    },
    stream: { type: 'console' },
    layer: 'app',
  },
})

/** Runs each example in its own surroundings, all in one process. */
async function run(folder: string, url: string): Promise<Map<number, string | undefined>> {
  await writeFile(join(folder, 'surroundings.js'), javascript(SURROUNDINGS))
  await writeFile(join(folder, 'surroundings-of-store.js'), javascript(SHARED))
  for (const [at, example] of RUN.entries()) {
    const module = javascript(await moduleOf(example))
      .replace('./surroundings.js', `./surroundings.js?${at}`)
      .replaceAll(/wss?:\/\/broker\b[^']*/g, url)
    await writeFile(join(folder, `${at}.js`), module)
  }
  const files = RUN.map((_, at) => `${at}.js`)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'run-examples.mjs'), ...files],
    { cwd: folder, env: { ...process.env, BROKER_URL: url, CONFIG }, timeout: 3 * HANGS_MS },
  )
  const said = stdout.split('\n').filter((line) => line.startsWith('{"file":'))
  return new Map(
    said.map((line) => JSON.parse(line)).map(({ file, error }) => [Number.parseInt(file, 10), error]),
  )
}

function javascript(code: string): string {
  return ts.transpileModule(code, { compilerOptions: { ...OPTIONS, module: ts.ModuleKind.ESNext } })
    .outputText
}
