// @node-only: it starts PostgreSQL
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, toHex } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { COMMAND } from '../cli/command.js'
import { installedPostgres } from '../running/postgres.mjs'
import { startPostgres } from '../store/postgres.mjs'
import { genuineMessages } from '../support/messages.js'
import { key } from '../support/sdk.js'
import { blocksOf } from './blocks.js'

const origin = 'example.com/store-1'
const blocks = blocksOf('examples/guide/store-drill.md')
const codeOf = (mark: string) => blocks.find((block) => block.mark === mark)?.code ?? ''

/** Starts a server with a store, and makes a folder with the keys that the page needs. */
async function drill() {
  const server = await startPostgres('oldest')
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-drill-'))
  onTestFinished(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const trust = { signers: [{ name: 'dev-7', keys: [toHex(key.verifyingKey)] }] }
  const { signingKey } = generateKey()
  const options = { keyring: await readTrust(trust), log: { origin, signingKey } }
  const store = await openStore(server.url, options)
  onTestFinished(() => store.close())
  writeFileSync(join(folder, 'log.key'), toHex(signingKey))
  writeFileSync(join(folder, 'log.vkey'), store.vkey ?? '')
  writeFileSync(join(folder, 'trust.json'), JSON.stringify(trust))
  writeFileSync(join(folder, 'alvarium'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`)
  chmodSync(join(folder, 'alvarium'), 0o755)
  return { server, folder, store, options }
}

type Drill = Awaited<ReturnType<typeof drill>>

async function emptyDatabase({ server }: Drill, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return server.url.replace(/postgres$/, name)
}

function run(
  { server, folder }: Drill,
  mark: string,
  COPY = '',
): { code: number | null; out: string; err: string } {
  const PATH = [folder, installedPostgres(), process.env['PATH']].join(':')
  const env = { ...process.env, PATH, STORE: server.url, COPY }
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', codeOf(mark)], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

// claim: store-drill-1, store-drill-2, store-drill-3
it("the guide's commands prove a restored backup against a checkpoint, and name the rows that an older backup lacks", async () => {
  const all = await drill()
  const { store, folder } = all
  const [first = new Uint8Array(), ...later] = Object.values(await genuineMessages())
  await store.ingest([first])
  expect(run(all, 'backup')).toMatchObject({ code: 0 })
  const copy = await emptyDatabase(all, 'drill')
  expect(run(all, 'restore', copy)).toEqual({ code: 0, out: '', err: '' })
  const proof = run(all, 'proof', copy)
  expect([proof.code, proof.out]).toEqual([0, expect.stringContaining('✓ proved: the first')])

  const { size: before } = await store.checkpoint()
  await store.ingest(later)
  const { note, size } = await store.checkpoint()
  writeFileSync(join(folder, 'checkpoint.txt'), note)
  const older = run(all, 'proof', copy)
  expect([older.code, older.out]).toEqual([
    1,
    expect.stringContaining(
      `checkpoint kept elsewhere: size: expected at least ${size} entries, got ${before}`,
    ),
  ])

  await using restored = await openStore(copy, all.options)
  await restored.ingest(later.toReversed())
  await restored.checkpoint()
  const afterwards = run(all, 'proof', copy)
  expect([afterwards.code, afterwards.out]).toEqual([1, expect.stringContaining(`root of ${size} entries`)])
})
