// @node-only: the command

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, toHex } from 'alvarium-sdk'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleBy } from '../support/by-hand.js'
import { witnessedCheckpoint } from '../support/witnessed.js'
import { NoteSigner } from '../witness/logs.mjs'
import { alvarium } from './command.js'

const folder = mkdtempSync(join(tmpdir(), 'alvarium-witnessed-policy-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string) => join(folder, name)
const write = (name: string, ...lines: (Uint8Array | string)[]) =>
  writeFileSync(
    at(name),
    lines.map((line) => `${typeof line === 'string' ? line : Buffer.from(line)}\n`).join(''),
  )

const party = generateKey()
const witnesses = ['w1', 'w2'].map((name) => new NoteSigner(`witness.example/${name}`, 4))
const MAY = Date.parse('2026-05-02T00:00:00Z') / 1000
const log = [bundleBy(party, { payload: '21.4', timestamp: '2026-05-01T11:00:00.000000Z' })]
const [{ message }] = log as [(typeof log)[number]]

const checkpoint = (time: number) =>
  witnessedCheckpoint(
    party,
    log,
    witnesses.map((one) => [one, time] as const),
  )

const signer = {
  name: 'sensor-7',
  keys: [toHex(party.verifyingKey)],
  revoked: { since: '2026-06-01T00:00:00Z' },
}
const vkeys = witnesses.map(({ vkey }) => vkey)
write('seen.json', JSON.stringify({ signers: [signer], witnesses: vkeys, quorum: 2 }))
write('blind.json', JSON.stringify({ signers: [signer] }))
write('messages.ndjson', message)
write('checkpoints.ndjson', checkpoint(MAY))
write('all.ndjson', checkpoint(MAY), message)
write('late.ndjson', checkpoint(MAY + 90 * 86_400), message)
write('21.4.csv', '21.4')
const august = ['--received-at', '2026-08-01T00:00:00Z']

describe('a message of a revoked signer', () => {
  it.each([
    ['verify', [at('all.ndjson')]],
    ['verify --checkpoints', [at('messages.ndjson'), '--checkpoints', at('checkpoints.ndjson')]],
    ['audit', [at('all.ndjson')]],
  ])(
    'is accepted by alvarium %s only if the policy lists the witnesses that saw it before the revocation',
    async (name, args) => {
      const [command = ''] = name.split(' ')
      const run = (trust: string) => alvarium([command, ...args, '--trust', at(trust), ...august])
      expect([(await run('seen.json')).code, (await run('blind.json')).code]).toEqual([0, 1])
    },
  )

  it('is refused if witnesses saw it only after the revocation', async () => {
    for (const command of ['verify', 'audit'])
      expect((await alvarium([command, at('late.ndjson'), '--trust', at('seen.json'), ...august])).code).toBe(
        1,
      )
  })

  it('is accepted by alvarium check only if the policy lists the witnesses that saw it before the revocation', async () => {
    const check = ['check', at('21.4.csv'), at('all.ndjson'), '--format', 'lines', '--trust']
    const ran = await alvarium([...check, at('seen.json'), ...august])
    expect([ran.err, ran.code]).toEqual([expect.any(String), 0])
    expect((await alvarium([...check, at('blind.json'), ...august])).code).toBe(1)
  })
})
