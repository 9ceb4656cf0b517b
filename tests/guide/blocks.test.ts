// @slow: it runs the programs of the guide as a user does

import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { generateKey, toHex } from 'alvarium-sdk'
import { beforeAll, expect, it } from 'vitest'
import { selfSigned } from '../brokers/certificate.js'
import { startEmbedded } from '../brokers/embedded.js'
import { freePort } from '../brokers/ports.js'
import { projectFolder } from '../support/project.js'
import { type Block, blocksOf, fileOf, isRunnable, PAGES, printedBy } from './blocks.js'

const blocks = PAGES.flatMap(blocksOf).filter(isRunnable)
/** The only change of a block before its run: its ports, which another test may use. The first is the broker's. */
const PORTS = /\b(9001|8443|8421)\b/g
/** Marks of code that belongs elsewhere: into a bundle, or to a separate test. */
const ELSEWHERE = {
  service: 'tests/guide/services.test.ts',
  lambda: 'tests/guide/edge.test.ts',
  handler: 'tests/guide/edge.test.ts, and in workerd',
  consumer: 'tests/examples/database-consumer.test.ts',
  sqlite: 'tests/examples/database-consumer.test.ts',
  postgres: 'tests/examples/database-consumer.test.ts',
  ask: 'tests/examples/database-consumer.test.ts',
  gateway: 'tests/examples/iot-gateway.test.ts',
  vite: 'tests/packaging/wasm-file.test.ts and npm run matrix build the like',
  page: 'tests/packaging/front-ends.test.ts',
  react: 'tests/packaging/front-ends.test.ts',
  vue: 'tests/packaging/front-ends.test.ts',
  settings: 'tests/packaging/front-ends.test.ts',
  worker: 'tests/packaging/workerd-guide.test.ts, and front-ends.test.ts there',
  publish: 'tests/config-file/migrating.test.ts',
  consume: 'tests/config-file/migrating.test.ts',
  keys: 'tests/config-file/migrating.test.ts',
}

/** The mark of a config that readers of the page save. */
const CONFIG = 'config'

/** The printed lines of each block, by its file; the last line is `# end`. */
let printed: Map<string, string[]>
/** The error that ended the process, if it did not exit by itself. */
let fault: unknown
/**
 * The timeout of the process in milliseconds, for a block that hangs. All blocks take ten seconds on an idle machine.
 */
const ENDED_MS = 600_000
beforeAll(async () => {
  const broker = await startEmbedded()
  const folder = await projectFolder('guide')
  try {
    await run(await written(folder, broker.url))
  } finally {
    await broker.stop()
    await rm(folder, { recursive: true })
  }
}, 2 * ENDED_MS)

// claim: readme-1, verifying-22
it.each(blocks.map((block) => ({ ...block, name: `${block.page}:${block.line}` })))(
  'the code block of the guide at $name runs when it is pasted unchanged, and prints the output that the guide shows',
  (block) => {
    const lines = printed.get(fileOf(block)) ?? ['was not run']
    expect(lines.at(-1), lines.join('\n')).toBe('# end')
    const said = printedBy(block)
    // A block without stated output may print any.
    if (said.length > 0) expect(lines.slice(0, -1)).toEqual(said)
  },
)

it('each block of the guide closes its resources, so that the process ends by itself', () => {
  expect(fault).toBeUndefined()
})

it('each JavaScript block of the guide that this file skips is listed with the test that runs it', () => {
  const marks = PAGES.flatMap(blocksOf).filter(({ language, mark }) => language === 'js' && mark !== '')
  expect(marks.filter(({ mark }) => !Object.hasOwn(ELSEWHERE, mark))).toEqual([])
})

async function run(files: readonly string[]): Promise<void> {
  const runner = join(import.meta.dirname, 'run-blocks.mjs')
  const running = promisify(execFile)(process.execPath, [runner, ...files], { timeout: ENDED_MS })
  const { stdout } = await running.catch((error) => {
    fault = error
    return error
  })
  const parts: string[] = stdout.split(/^# (?=.*\.mjs\n)/m).slice(1)
  printed = new Map(
    parts.map((part) => {
      const [name = '', ...lines] = part.trimEnd().split('\n')
      return [name, lines]
    }),
  )
}

/** Writes the blocks as a reader would paste them, each page's in a folder with its files. */
async function written(folder: string, brokerUrl: string): Promise<string[]> {
  for (const page of PAGES) await furnish(join(folder, basename(page, '.md')))
  const ports: Record<string, string> = {
    9001: new URL(brokerUrl).port,
    8443: String(await freePort()),
    8421: String(await freePort()),
  }
  const write = async (block: Block, name: string) => {
    const path = join(folder, basename(block.page, '.md'), name)
    await writeFile(
      path,
      block.code.replaceAll(PORTS, (port) => ports[port] as string),
    )
    return path
  }
  for (const block of PAGES.flatMap(blocksOf)) if (block.mark === CONFIG) await write(block, 'config.json')
  return Promise.all(blocks.map((block) => write(block, fileOf(block))))
}

async function furnish(folder: string): Promise<void> {
  await mkdir(folder)
  const { signingKey, verifyingKey } = generateKey()
  const { key, cert } = certificate
  const files = {
    'private.key': toHex(signingKey),
    'public.key': toHex(verifyingKey),
    'server.key': key,
    'server.crt': cert,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

const certificate = selfSigned()
