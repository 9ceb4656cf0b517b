// @node-only: it uses node:crypto

import { generateKey } from 'alvarium-sdk'
import { openWitness, verifyWitnessed } from 'alvarium-sdk/witness'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { codeOf } from '../support/failure.js'
import { HandLog } from './logs.mjs'
import { MemoryState } from './witnesses.js'

const { signingKey } = generateKey()

async function watching(log: HandLog, state = new MemoryState()) {
  const witness = await openWitness({
    name: 'witness.example/w1',
    signingKey,
    logs: [log.signer.vkey],
    state,
  })
  return { witness, state }
}

describe('a witness that is asked to sign a checkpoint', () => {
  it('signs the log as it grows, and each signature verifies under its public key', async () => {
    const log = new HandLog()
    const { witness } = await watching(log)
    let old = 0
    for (const size of [1, 2, 3, 7, 8, 9, 64, 100, 257, 300]) {
      log.grow(size - old)
      const { status, type, body } = await witness.addCheckpoint(log.request(old))
      expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
      const note = log.noteAt() + body
      const judged = verifyWitnessed(note, { vkey: log.signer.vkey, witnesses: [witness.vkey] })
      expect(judged).toMatchObject({ outcome: 'holds', verdict: 'witnessed', size, seen: 1, of: 1 })
      old = size
    }
  })

  it('signs a checkpoint again that it has signed before, and the checkpoint of an empty log', async () => {
    const log = new HandLog()
    const { witness } = await watching(log)
    expect((await witness.addCheckpoint(log.request(0))).status).toBe(200)
    expect((await witness.addCheckpoint(log.request(0))).status).toBe(200)
    expect((await witness.addCheckpoint(log.grow(3).request(0))).status).toBe(200)
    expect((await witness.addCheckpoint(log.request(3))).status).toBe(200)
  })

  it('never signs with an earlier time than before, even if the clock is set back', async () => {
    const log = new HandLog().grow(1)
    const { witness, state } = await watching(log)
    await witness.addCheckpoint(log.request(0))
    const first = state.signed.get(log.signer.name)
    const past = Date.now() - 60_000
    const clock = vi.spyOn(Date, 'now').mockReturnValue(past)
    onTestFinished(() => clock.mockRestore())
    expect((await witness.addCheckpoint(log.grow(1).request(1))).status).toBe(200)
    expect(state.signed.get(log.signer.name)).toMatchObject({ size: 2, time: first?.time })
  })

  it('answers a request with a wrong old size by the size of the last checkpoint that it has signed', async () => {
    const log = new HandLog().grow(5)
    const { witness } = await watching(log)
    await witness.addCheckpoint(log.request(0))
    log.grow(4)
    for (const old of [0, 1, 4, 6, 9]) {
      const { status, type, body } = await witness.addCheckpoint(log.request(old))
      expect([old, status, type, body]).toEqual([old, 409, 'text/x.tlog.size', '5\n'])
    }
    expect((await witness.addCheckpoint(log.request(5))).status).toBe(200)
  })

  // claim: witnesses-1
  it('never signs another log of a size that it has signed, or a log with another beginning', async () => {
    const log = new HandLog().grow(6)
    const { witness, state } = await watching(log)
    await witness.addCheckpoint(log.request(0))
    const other = log.fork(5).grow(1, 'other')
    expect(await witness.addCheckpoint(other.request(6))).toMatchObject({ status: 409, body: '6\n' })
    const longer = other.grow(3)
    expect((await witness.addCheckpoint(longer.request(6))).status).toBe(422)
    const shorter = log.noteAt(4)
    expect((await witness.addCheckpoint(`old 6\n\n${shorter}`)).status).toBe(400)
    expect(state.signed.get(log.signer.name)?.size).toBe(6)
    expect((await witness.addCheckpoint(log.grow(2).request(6))).status).toBe(200)
  })

  it('refuses a request with an unknown log or log key, an altered note or invalid text', async () => {
    const log = new HandLog().grow(3)
    const { witness, state } = await watching(log)
    expect((await witness.addCheckpoint(new HandLog('log.example/other').grow(3).request(0))).status).toBe(
      404,
    )
    expect((await witness.addCheckpoint(new HandLog().grow(3).request(0))).status).toBe(403)
    const altered = log.request(0).replace('\n3\n', '\n4\n')
    expect((await witness.addCheckpoint(altered)).status).toBe(403)
    const hash = Buffer.alloc(32).toString('base64')
    expect((await witness.addCheckpoint(`old 0\n${hash}\n\n${log.noteAt()}`)).status).toBe(422)
    const many = `old 0\n${`${hash}\n`.repeat(64)}\n${log.noteAt()}`
    for (const body of ['', 'old 0\n', 'old 00\n\n', 'old -1\n\n', 'old 0\n!\n\n', many, `${log.noteAt()}`]) {
      const request = body.endsWith('\n\n') ? body + log.noteAt() : body
      expect([body.slice(0, 20), (await witness.addCheckpoint(request)).status]).toEqual([
        body.slice(0, 20),
        400,
      ])
    }
    expect(state.signed.size).toBe(0)
  })

  it('signs only one of two forked checkpoints that arrive at the same time', async () => {
    const log = new HandLog().grow(4)
    const { witness } = await watching(log)
    await witness.addCheckpoint(log.request(0))
    const [one, other] = [log.fork(4).grow(3, 'one'), log.fork(4).grow(3, 'other')]
    const answers = await Promise.all([one, other].map((each) => witness.addCheckpoint(each.request(4))))
    expect(answers.map(({ status }) => status)).toEqual([200, 409])
  })

  it('signs nothing when its state cannot be stored, or is damaged', async () => {
    const log = new HandLog().grow(4)
    const { witness, state } = await watching(log)
    await witness.addCheckpoint(log.request(0))
    const kept = state.signed.get(log.signer.name)
    const damaged = new HandLog().grow(9).noteAt()
    if (kept) state.signed.set(log.signer.name, { ...kept, note: damaged })
    log.grow(3)
    expect(await codeOf(() => witness.addCheckpoint(log.request(4)))).toBe('STORE_DAMAGED')
    if (kept) state.signed.set(log.signer.name, kept)
    const full = Object.assign(new MemoryState(), {
      write: () => Promise.reject(new Error('the disk is full')),
    })
    const other = await watching(log, full)
    await expect(other.witness.addCheckpoint(log.request(0))).rejects.toThrow('the disk is full')
    expect((await witness.addCheckpoint(log.request(4))).status).toBe(200)
  })
})
