// @slow: it runs the witness of others

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { source } from 'alvarium-sdk'
import { openStore, verifyLogProof } from 'alvarium-sdk/store'
import { askWitnesses, verifyWitnessed } from 'alvarium-sdk/witness'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../brokers/ports.js'
import { utf8 } from '../support/bytes.js'
import { keyring, opened } from '../support/sdk.js'
import { NoteSigner } from '../witness/logs.mjs'

// litewitness, if installed: go install filippo.io/torchwood/cmd/{litewitness,witnessctl}@v0.6.1. LITEWITNESS and
// WITNESSCTL name the two if they are not on the PATH.

const { LITEWITNESS = 'litewitness', WITNESSCTL = 'witnessctl' } = process.env
const NAME = 'witness.example/lite'

const found = spawnSync(WITNESSCTL, ['list-logs', '-h'])
const isThere = found.error === undefined && spawnSync(LITEWITNESS, ['-h']).error === undefined
if (!isThere) console.warn(`not tested: how litewitness signs the log of a store. ${found.error?.message}`)

const folder = mkdtempSync(join(tmpdir(), 'alvarium-litewitness-'))
const at = (name: string) => join(folder, name)
const processes: ChildProcess[] = []
afterAll(() => {
  for (const one of processes) one.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a witness that knows a log, with a private key in an agent. */
async function start(log: NoteSigner): Promise<{ url: string; vkey: string }> {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('key')])
  const agent = at('agent')
  processes.push(spawn('ssh-agent', ['-D', '-a', agent], { stdio: 'ignore' }))
  await expect
    .poll(() => spawnSync('ssh-add', [at('key')], { env: { ...process.env, SSH_AUTH_SOCK: agent } }).status)
    .toBe(0)
  for (const args of [['add-log'], ['add-key', '-key', log.vkey]])
    execFileSync(WITNESSCTL, [...args, '-db', at('db'), '-origin', log.name])
  const [, fingerprint = ''] = execFileSync('ssh-keygen', ['-lf', at('key.pub')], { encoding: 'utf8' }).split(
    ' ',
  )
  const port = await freePort()
  const options = ['-db', at('db'), '-name', NAME, '-key', fingerprint, '-ssh-agent', agent]
  processes.push(spawn(LITEWITNESS, [...options, '-listen', `127.0.0.1:${port}`], { stdio: 'ignore' }))
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBeGreaterThan(0)
  const [, blob = ''] = readFileSync(at('key.pub'), 'utf8').split(' ')
  return { url, vkey: vkeyOf(Buffer.from(blob, 'base64').subarray(-32)) }
}

/** Writes the public key of a witness: `name+id+key`. */
function vkeyOf(key: Buffer): string {
  const typed = Buffer.concat([Buffer.from([4]), key])
  const id = createHash('sha256').update(`${NAME}\n`).update(typed).digest('hex').slice(0, 8)
  return `${NAME}+${id}+${typed.toString('base64')}`
}

describe.skipIf(!isThere)('litewitness', () => {
  // claim: witnesses-15
  it('cosigns the growing log of a store, and no forked or foreign log of the same name', async () => {
    const seed = new Uint8Array(32).fill(9)
    const log = new NoteSigner('log.example/lite', 1, seed)
    const witness = await start(log)
    const options = {
      origin: log.name,
      signingKey: { seed },
      everyMs: 3_600_000,
      witnesses: [witness],
      witnessTimeoutMs: 60_000,
    }
    const store = await openStore('memory:', { keyring, log: options })
    const { sdk, stream } = await opened([source()])
    const notes: string[] = []
    const ids: string[] = []
    let from = 0
    for (const count of [1, 2, 5, 8, 1, 300, 7]) {
      const receipts = await sdk.createMany(
        Array.from({ length: count }, (_, place) => utf8(`${from} ${place}`)),
      )
      ids.push(...receipts.map(({ id }) => id))
      await store.ingest(stream.messages.slice(from))
      from = stream.messages.length
      const { note, witnessed, answers } = await store.askWitnesses()
      expect([answers.map(({ says }) => says), witnessed.outcome]).toEqual([
        [expect.stringContaining('has seen')],
        'holds',
      ])
      notes.push(note)
    }
    const witnesses = [witness.vkey]
    expect(verifyWitnessed(notes, { vkey: log.vkey, witnesses })).toMatchObject({
      outcome: 'holds',
      size: 324,
      faults: [],
    })
    expect(await store.audit({ witnesses })).toMatchObject({
      outcome: 'holds',
      verdict: 'proved',
      protected: 324,
    })
    const id = ids[3] as string
    const proof = (await store.prove(id)) as string
    expect(verifyLogProof(proof, { id, vkey: log.vkey, witnesses }).witnessed?.outcome).toBe('holds')

    const text = `${log.name}\n324\n${Buffer.alloc(32, 1).toString('base64')}\n`
    const forked = await askWitnesses(`${text}\n${log.line(text)}`, { witnesses: [witness] })
    expect(forked.answers[0]).toMatchObject({ outcome: 'forked', size: 324 })
    const behind = await askWitnesses(notes[2] as string, { witnesses: [witness] })
    expect(behind.answers).toEqual([])
    const [own = ''] = (notes[2] as string).split(/(?=— witness)/)
    expect((await askWitnesses(own, { witnesses: [witness] })).answers[0]).toMatchObject({
      outcome: 'ahead',
      size: 324,
    })
    const other = new NoteSigner('log.example/lite', 1)
    const foreign = await askWitnesses(`${text}\n${other.line(text)}`, { witnesses: [witness] })
    expect(foreign.answers[0]?.outcome).toBe('refused')
    await sdk.close()
    await store.close()
  })
})
