// @node-only: it starts processes

import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askWitnesses } from 'alvarium-sdk/witness'
import { afterAll, expect, it } from 'vitest'
import { HandLog } from '../witness/logs.mjs'
import { startWitness, type WitnessProcess } from '../witness/process.js'
import { alvarium } from './command.js'

const root = mkdtempSync(join(tmpdir(), 'alvarium-witness-'))
const processes: WitnessProcess[] = []
afterAll(async () => {
  for (const one of processes) await one.kill().catch(() => undefined)
  rmSync(root, { recursive: true, force: true })
})

async function start(folder: string, log: HandLog): Promise<WitnessProcess> {
  const witness = await startWitness('witness.example/w1', join(root, folder), [log.signer.vkey])
  processes.push(witness)
  return witness
}

const ask = (log: HandLog, { url, vkey }: WitnessProcess) =>
  askWitnesses(log.noteAt(), {
    witnesses: [{ url, vkey }],
    witnessTimeoutMs: 60_000,
    growthFrom: (from) => log.pathOf(from).map((hash) => hash.toString('hex')),
  })

// claim: witnesses-2
it('a witness creates a private key that only its owner can read, and uses the same key again after kill -9', async () => {
  const log = new HandLog('log.example/kept').grow(4)
  const first = await start('kept', log)
  expect((await ask(log, first)).witnessed).toMatchObject({ outcome: 'holds', size: 4 })
  const files = readdirSync(join(root, 'kept')).map((name) => join(root, 'kept', name))
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
  await first.kill()
  const second = await start('kept', log)
  expect(second.vkey).toBe(first.vkey)
  const other = log.fork(3).grow(1, 'other')
  expect((await ask(other, second)).answers[0]).toMatchObject({ outcome: 'forked', size: 4 })
  expect((await ask(log.grow(2), second)).witnessed).toMatchObject({ outcome: 'holds', size: 6 })
})

// claim: witnesses-3
it('a second witness is refused if it uses the state folder of a running witness', async () => {
  const log = new HandLog('log.example/locked').grow(1)
  await start('locked', log)
  const options = ['--name', 'w', '--state', join(root, 'locked'), '--log', log.signer.vkey, '--port', '0']
  const { code, err } = await alvarium(['witness', ...options])
  expect([code, err]).toEqual([2, expect.stringContaining('the folder of a witness that does not run')])
})

it('a witness refuses to start without logs, and signs nothing after its state file was altered', async () => {
  expect((await alvarium(['witness', '--name', 'w', '--state', join(root, 'none')])).code).toBe(2)
  const log = new HandLog('log.example/altered').grow(2)
  const witness = await start('altered', log)
  await ask(log, witness)
  const [file = ''] = readdirSync(join(root, 'altered')).filter((name) => name.endsWith('.note'))
  const path = join(root, 'altered', file)
  writeFileSync(path, readFileSync(path, 'utf8').replace('\n2\n', '\n1\n'))
  expect((await ask(log.grow(1), witness)).answers[0]).toMatchObject({
    outcome: 'away',
    says: expect.stringContaining('expected status 200, got 500'),
  })
})

it('a witness has at most 64 connections, and closes any further one', async () => {
  const log = new HandLog('log.example/busy').grow(1)
  const witness = await start('busy', log)
  const sockets = Array.from({ length: 64 }, () => connect(Number(new URL(witness.url).port), '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const another = connect(Number(new URL(witness.url).port), '127.0.0.1')
  another.on('error', () => {}).resume()
  await once(another, 'close')
  expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(64)
  for (const socket of sockets) socket.destroy()
})
