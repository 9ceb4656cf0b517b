// @node-only: it starts servers

import { askWitnesses, type WitnessAddress } from 'alvarium-sdk/witness'
import { describe, expect, it } from 'vitest'
import { HandLog, NoteSigner } from './logs.mjs'
import { type Instead, listening, serveWitness } from './witnesses.js'

const HOUR = 3_600_000

function ask(log: HandLog, witnesses: readonly WitnessAddress[], witnessTimeoutMs = HOUR) {
  const growthFrom = (from: number) => log.pathOf(from).map((hash) => hash.toString('hex'))
  return askWitnesses(log.noteAt(), { witnesses, witnessTimeoutMs, growthFrom })
}

const optionsFor = (log: HandLog) => ({ logs: [log.signer.vkey] })
const outcomesOf = (answers: readonly { outcome: string }[]) => answers.map(({ outcome }) => outcome)

describe('the witnesses of a checkpoint, asked to sign', () => {
  it('sign all at the same time, and their signatures are added to the note', async () => {
    const log = new HandLog().grow(5)
    let open = () => {}
    const all = new Promise<void>((resolve) => {
      let waiting = 0
      open = () => ++waiting === 3 && resolve()
    })
    const together: Instead = async (_, own) => {
      open()
      await all
      return own()
    }
    const served = await Promise.all(
      ['w1', 'w2', 'w3'].map((name) => serveWitness(name, optionsFor(log), together)),
    )
    const { note, answers, witnessed } = await ask(
      log,
      served.map(({ url, vkey }) => ({ url: `${url}/`, vkey })),
    )
    expect(outcomesOf(answers)).toEqual(['cosigned', 'cosigned', 'cosigned'])
    expect(note.startsWith(log.noteAt())).toBe(true)
    expect(note.split('\n— ')).toHaveLength(5)
    expect(witnessed).toMatchObject({ outcome: 'holds', size: 5, of: 3, quorum: 2 })
  })

  it('are asked again with a consistency proof from the size that they name as their latest', async () => {
    const log = new HandLog().grow(5)
    const { url, vkey, requests } = await serveWitness('w1', optionsFor(log))
    await ask(log, [{ url, vkey }])
    const { answers } = await ask(log.grow(4), [{ url, vkey }])
    expect([requests, outcomesOf(answers)]).toEqual([['old 0', 'old 0', 'old 5'], ['cosigned']])
  })

  it('are named, and not counted, if they refuse, stay silent or answer wrongly', async () => {
    const log = new HandLog().grow(3)
    const good = await serveWitness('good', optionsFor(log))
    const stranger = await serveWitness('stranger', optionsFor(new HandLog('log.example/other')))
    const foreign = await serveWitness('foreign', optionsFor(new HandLog()))
    const bad = (answer: Instead) => serveWitness('bad', optionsFor(log), answer)
    const never = await bad(() => new Promise(() => {}))
    const endless = await bad(async () => ({ status: 200, body: 'x'.repeat(200_000) }))
    const broken = await bad(async () => ({ status: 503 }))
    const redirected = await bad(async () => ({ status: 302 }))
    const unsigned = await bad(async () => ({
      status: 200,
      body: new NoteSigner('bad', 4).line(log.textAt(), 1),
    }))
    const garbage = await bad(async () => ({ status: 200, body: '<html>' }))
    const untyped = await bad(async () => ({ status: 409, body: '2\n' }))
    const jumping = await bad(async (body) => ({
      status: 409,
      type: 'text/x.tlog.size',
      body: body.startsWith('old 1\n') ? '2\n' : '1\n',
    }))
    const closed = { url: 'http://127.0.0.1:9', vkey: new NoteSigner('closed', 4).vkey }
    const served = [
      good,
      stranger,
      foreign,
      never,
      endless,
      broken,
      redirected,
      unsigned,
      garbage,
      untyped,
      jumping,
      closed,
    ]
    const witnesses = served.map(({ url, vkey }) => ({ url, vkey }))
    const growthFrom = (from: number) => log.pathOf(from).map((hash) => hash.toString('hex'))
    const { answers, witnessed } = await askWitnesses(log.noteAt(), {
      witnesses,
      quorum: 1,
      witnessTimeoutMs: 5_000,
      growthFrom,
    })
    expect(outcomesOf(answers)).toEqual([
      ...['cosigned', 'refused', 'refused', 'away', 'away', 'away', 'away'],
      ...['false', 'false', 'false', 'away', 'away'],
    ])
    expect(answers[3]?.says).toMatch(
      /^bad at http:\/\/127\.0\.0\.1:\d+\/: expected an answer, got no answer within 5000 ms$/,
    )
    expect(witnessed).toMatchObject({ outcome: 'holds', seen: 1, of: 12 })
  })

  it('detect a log that contradicts the log that they have signed, or is shorter', async () => {
    const log = new HandLog().grow(6)
    const { url, vkey } = await serveWitness('w1', optionsFor(log))
    await ask(log, [{ url, vkey }])
    const before = log.fork(4)
    const { answers } = await ask(before, [{ url, vkey }])
    expect(answers[0]).toMatchObject({
      outcome: 'ahead',
      size: 6,
      says: expect.stringContaining('it has seen 6 entries, and this checkpoint has 4'),
    })
    const same = before.grow(2, 'other')
    expect((await ask(same, [{ url, vkey }])).answers[0]).toMatchObject({ outcome: 'forked', size: 6 })
    const longer = same.grow(2, 'other')
    expect((await ask(longer, [{ url, vkey }])).answers[0]).toMatchObject({ outcome: 'forked', size: 6 })
  })

  // claim: witnesses-13
  it('tell the reader of an old note that the log has grown since then', async () => {
    const log = new HandLog().grow(6)
    const { url, vkey } = await serveWitness('w1', optionsFor(log))
    const older = log.noteAt(4)
    await ask(log, [{ url, vkey }])
    const { answers } = await askWitnesses(older, { witnesses: [{ url, vkey }] })
    expect(answers[0]).toMatchObject({ outcome: 'ahead', size: 6 })
    const newest = await askWitnesses(log.noteAt(), { witnesses: [{ url, vkey }] })
    expect(newest.witnessed.outcome).toBe('holds')
    const newer = await askWitnesses(log.grow(1).noteAt(), { witnesses: [{ url, vkey }] })
    expect(newer.answers[0]).toMatchObject({ outcome: 'away', size: 6 })
  })

  it('add nothing to a note that they have already signed', async () => {
    const log = new HandLog().grow(4)
    const { url, vkey } = await serveWitness('w1', optionsFor(log))
    const witnesses = [{ url, vkey }]
    const { note } = await askWitnesses(log.noteAt(), { witnesses })
    const again = await askWitnesses(note, { witnesses })
    expect([again.answers[0]?.outcome, again.note]).toEqual(['cosigned', note])
    await ask(log.grow(2), witnesses)
    const later = await askWitnesses(note, { witnesses })
    expect(later.answers[0]).toMatchObject({ outcome: 'ahead', size: 6 })
    expect([later.note, later.witnessed.outcome]).toEqual([note, 'holds'])
  })

  it('are sent the note without the signatures of others', async () => {
    const log = new HandLog().grow(2)
    const bodies: string[] = []
    const url = await listening(async (body, path) => {
      bodies.push(path, body)
      return { status: 404 }
    })
    const vkey = new NoteSigner('w1', 4).vkey
    await askWitnesses(log.noteAt() + new NoteSigner('w2', 4).line(log.textAt(), 5), {
      witnesses: [{ url: `${url}/a/`, vkey }],
    })
    expect(bodies).toEqual(['/a/add-checkpoint', `old 0\n\n${log.noteAt()}`])
  })
})
