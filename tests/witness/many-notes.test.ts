import { generateKey, toHex, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { Completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { verifyWitnessed } from 'alvarium-sdk/witness'
import { describe, expect, it } from 'vitest'
import { bundleBy, type LoggedMessage } from '../support/by-hand.js'
import { messageOf, noteOf } from '../support/checkpoints.js'
import { codeOf } from '../support/failure.js'
import { witnessedCheckpoint } from '../support/witnessed.js'
import { HandLog, NoteSigner } from './logs.mjs'

// One note of a log can reveal a fault in another, so all notes of a log are verified together.

const NOON = Date.parse('2026-05-01T12:00:00Z') / 1000
const DAY = 86_400
const party = generateKey()
const keyring = [party.verifyingKey]
const witnesses = ['w1', 'w2', 'w3'].map((name) => new NoteSigner(`witness.example/${name}`, 4))
const [one, two, three] = witnesses as [NoteSigner, NoteSigner, NoteSigner]
const vkeys = witnesses.map(({ vkey }) => vkey)
const reading = (payload: string) => bundleBy(party, { payload, timestamp: '2026-05-01T11:00:00.000000Z' })

const witnessedBy = (log: readonly LoggedMessage[], lines: Parameters<typeof witnessedCheckpoint>[2]) =>
  witnessedCheckpoint(party, log, lines)

const verifiedOf = (notes: readonly Uint8Array[]) =>
  Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring })))

describe('a policy that dates a late message by several checkpoints of a run', () => {
  const policy = {
    name: 'sensor-7',
    keys: [toHex(party.verifyingKey)],
    revoked: { since: '2026-06-01T00:00:00Z' },
  }
  const receivedAt = Date.parse('2026-08-01T00:00:00Z')

  it('accepts no witnessed time if a thief of the key signed another log of the same size', async () => {
    const [honest, backdated] = [reading('21.4'), reading('99.9')]
    const checkpoints = await verifiedOf([
      witnessedBy(
        [honest],
        [
          [one, NOON],
          [two, NOON],
        ],
      ),
      witnessedBy(
        [backdated],
        [
          [one, NOON],
          [three, NOON],
        ],
      ),
    ])
    const trust = await readTrust({ signers: [policy], witnesses: vkeys, quorum: 2 })
    for (const { message } of [honest, backdated])
      expect(await codeOf(() => verifyMessage(message, { keyring: trust, receivedAt, checkpoints }))).toBe(
        'SIGNER_REVOKED',
      )
    const alone = { keyring: trust, receivedAt, checkpoints: checkpoints.slice(0, 1) }
    expect((await verifyMessage(honest.message, alone)).signedBy?.time).toBe('witnessed')
  })

  it('counts the signatures of witnesses in all copies of a checkpoint', async () => {
    const log = [reading('21.4')]
    const copies = await verifiedOf([witnessedBy(log, [[one, NOON]]), witnessedBy(log, [[two, NOON]])])
    const trust = await readTrust({ signers: [policy], witnesses: vkeys, quorum: 2 })
    const { message } = log[0] as LoggedMessage
    const told = (checkpoints: typeof copies) =>
      verifyMessage(message, { keyring: trust, receivedAt, checkpoints })
    expect((await told(copies)).signedBy?.time).toBe('witnessed')
    expect(await codeOf(() => told(copies.slice(1)))).toBe('SIGNER_REVOKED')
  })
})

describe('a signer with several copies of a checkpoint', () => {
  const log = [reading('21.4')]
  const reportOn = async (notes: readonly Uint8Array[], messages: readonly LoggedMessage[] = log) => {
    const completeness = new Completeness({ witnesses: vkeys, quorum: 2 })
    for (const checkpoint of await verifiedOf(notes)) completeness.addCheckpoint(checkpoint)
    for (const { message } of messages)
      completeness.addMessage(message, await verifyBatch(message, { keyring }))
    return completeness.report()[0]
  }

  it('is still reported as complete if a stranger adds a copy with an invalid signature of a witness', async () => {
    const seen = witnessedBy(log, [
      [one, NOON],
      [two, NOON],
    ])
    const other = new HandLog().grow(3).textAt()
    const forged = messageOf(noteOf(witnessedBy(log, [])) + three.line(other, NOON))
    const fault = expect.stringMatching(/a line of witness\.example\/w3 at size 1 does not verify$/)
    expect(await reportOn([seen, forged])).toMatchObject({
      verdict: 'complete',
      witnessed: { faults: [fault] },
    })
    expect(await reportOn([forged])).toMatchObject({
      verdict: 'incomplete',
      witnessed: { verdict: 'contradicted' },
    })
  })

  it('is reported as complete since a given time only if no later message is missing', async () => {
    const seen = witnessedBy(log, [
      [one, NOON],
      [two, NOON + DAY],
    ])
    expect((await reportOn([seen]))?.says).toMatch(
      /; complete since 2026-05-02T12:00:00Z by 2 of 3 witnesses$/,
    )
    const { verdict, says } = (await reportOn([seen], [])) ?? {}
    expect([verdict, says]).toEqual([
      'incomplete',
      expect.stringMatching(/; its lists were seen by 2 of 3 witnesses by 2026-05-02T12:00:00Z$/),
    ])
  })
})

describe('a witness that has signed a checkpoint twice', () => {
  it('contradicts itself if it signed a larger checkpoint of the log in between', () => {
    const grown = new HandLog().grow(20)
    const noteOfSize = (size: number, times: readonly number[]) =>
      grown.noteAt(size) + times.map((after) => one.line(grown.textAt(size), NOON + after)).join('')
    const judge = (notes: readonly string[]) =>
      verifyWitnessed(notes, { vkey: grown.signer.vkey, witnesses: vkeys, quorum: 1 })
    expect(judge([noteOfSize(5, [0]), noteOfSize(20, [10])]).verdict).toBe('witnessed')
    const lie =
      'witness.example/w1 has signed size 5 at 2026-05-01T12:00:20Z, after size 20 at 2026-05-01T12:00:10Z'
    for (const notes of [[noteOfSize(5, [0, 20])], [noteOfSize(5, [0]), noteOfSize(5, [20])]])
      expect(judge([...notes, noteOfSize(20, [10])])).toMatchObject({ verdict: 'unwitnessed', faults: [lie] })
  })
})

it('a quorum without witnesses is refused, as it would check nothing', async () => {
  expect(await codeOf(() => new Completeness({ quorum: 2 }))).toBe('CONFIG_INVALID')
  const signers = [{ name: 'sensor-7', keys: [toHex(party.verifyingKey)] }]
  expect(await codeOf(() => readTrust({ signers, quorum: 2 }))).toBe('CONFIG_INVALID')
})
