// @node-only: it uses node:crypto

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { generateKey } from 'alvarium-sdk'
import { openWitness, verifyWitnessed } from 'alvarium-sdk/witness'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../support/failure.js'
import { HandLog, NoteSigner } from './logs.mjs'
import { MemoryState } from './witnesses.js'

// Keys and requests of others: note_cosigv1_test.go of transparency-dev/formats, and the trial of litewitness in FiloSottile/torchwood
// (cmd/litewitness/testdata/multi-cosigs-ed25519.txt).

/** The public key of a witness that was in use. */
const REMORA = 'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2'
const SIGSUM = 'sigsum.org/v1/tree/985ea163f5af026723561354f51f2ebcdcf2af809ce254ccfb64aa9aadd80f90'
const SIGSUM_KEY = '52c05edad1bf5feffa81354faae59a655d9a9a1a793ed2f62c39c26c0be2aecd'
const SIGSUM_NOTE = `${SIGSUM}
1
KgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

— ${SIGSUM} 7BKT0gOfNZ1J0So9unY3BZtm2YkPIoNYM/dce0Z2avJDs8dxN6ts9bOSwwrVrbjm6P9K3ZxpK6jJngOG6YvGGzV/lwo=
`

/** Writes a public key as notes have it: `name+id+key`. */
function vkeyOf(name: string, type: number, key: string): string {
  const typed = Buffer.concat([Buffer.from([type]), Buffer.from(key, 'hex')])
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest('hex').slice(0, 8)
  return `${name}+${id}+${typed.toString('base64')}`
}

describe('verifyWitnessed and openWitness', () => {
  it('accept the public key of a witness with the id that other software wrote', () => {
    const log = new HandLog().grow(1)
    const judged = verifyWitnessed(log.noteAt(), { vkey: log.signer.vkey, witnesses: [REMORA] })
    expect(judged).toMatchObject({
      verdict: 'unwitnessed',
      outcome: 'cannot tell',
      seen: 0,
      of: 1,
      quorum: 1,
    })
  })

  it.each([
    ['a key of a log, which has no times', vkeyOf('remora.n621.de', 1, '00'.repeat(32))],
    ['an id that does not match its name', REMORA.replace('remora', 'remorb')],
    ['a key of ML-DSA-44', vkeyOf('witness.example', 6, '00'.repeat(32))],
    ['no key', 'remora.n621.de'],
  ])('refuse as the public key of a witness: %s', async (_, vkey) => {
    const log = new HandLog().grow(1)
    const options = { vkey: log.signer.vkey, witnesses: [vkey] }
    expect(await codeOf(() => verifyWitnessed(log.noteAt(), options))).toBe('CONFIG_INVALID')
  })

  it('sign and verify the Sigsum checkpoint that the tests of litewitness use', async () => {
    const logs = [vkeyOf(SIGSUM, 1, SIGSUM_KEY)]
    const { signingKey } = generateKey()
    const witness = await openWitness({
      name: 'example.com/witness',
      signingKey,
      logs,
      state: new MemoryState(),
    })
    const { status, body } = await witness.addCheckpoint(`old 0\n\n${SIGSUM_NOTE}`)
    expect([status, body]).toEqual([200, expect.stringMatching(/^— example\.com\/witness [\w+/]+={0,2}\n$/)])
    const judged = verifyWitnessed(SIGSUM_NOTE + body, { vkey: logs[0] as string, witnesses: [witness.vkey] })
    expect(judged).toMatchObject({ outcome: 'holds', size: 1 })
  })

  it('verify the golden note, and sign the golden request as its witness would', async () => {
    const golden = JSON.parse(readFileSync(new URL('../vectors/witness-1.json', import.meta.url), 'utf8'))
    const { log, witnesses, note, quorum, by, seeds } = golden
    const judged = verifyWitnessed(note, { vkey: log, witnesses, quorum })
    expect(judged).toMatchObject({ outcome: 'holds', by, seen: 2, says: `seen by 2 of 3 witnesses by ${by}` })
    const state = new MemoryState()
    const signingKey = { seed: Buffer.from(seeds[0], 'hex') }
    const witness = await openWitness({ name: 'witness.example/w1', signingKey, logs: [log], state })
    expect(witness.vkey).toBe(witnesses[0])
    expect((await witness.addCheckpoint(golden.older)).status).toBe(200)
    const { status, body } = await witness.addCheckpoint(golden.request)
    expect(status).toBe(200)
    const own = golden.request.slice(golden.request.indexOf('\n\n') + 2)
    expect(verifyWitnessed(own + body, { vkey: log, witnesses, quorum: 1 })).toMatchObject({
      outcome: 'holds',
      size: 7,
    })
  })

  it('verify a signature made from the specification with node:crypto', () => {
    const log = new HandLog('example.com/behind-the-sofa').grow(3)
    const witness = new NoteSigner('witness.example.com/w1', 4)
    const note = log.noteAt() + witness.line(log.textAt(), 1_679_315_147)
    const judged = verifyWitnessed(note, { vkey: log.signer.vkey, witnesses: [witness.vkey], quorum: 1 })
    expect(judged).toEqual({
      outcome: 'holds',
      verdict: 'witnessed',
      says: 'seen by 1 of 1 witness by 2023-03-20T12:25:47Z',
      size: 3,
      by: '2023-03-20T12:25:47Z',
      seen: 1,
      of: 1,
      quorum: 1,
      faults: [],
    })
  })
})
