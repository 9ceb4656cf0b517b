// @node-only: it uses node:crypto

import { verifyWitnessed } from 'alvarium-sdk/witness'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../support/failure.js'
import { HandLog, NoteSigner } from './logs.mjs'

const [one, two, three] = ['w1', 'w2', 'w3'].map((name) => new NoteSigner(`witness.example/${name}`, 4)) as [
  NoteSigner,
  NoteSigner,
  NoteSigner,
]
const witnesses = [one.vkey, two.vkey, three.vkey]
const NOON = 1_777_636_800

/** A witness, and the number of seconds after noon at which it signed. */
type Seen = readonly [witness: NoteSigner, after: number]

function seen(log: HandLog, times: readonly Seen[], size = log.leaves.length): string {
  return (
    log.noteAt(size) + times.map(([witness, after]) => witness.line(log.textAt(size), NOON + after)).join('')
  )
}

const log = new HandLog().grow(20)
const judge = (notes: string | readonly string[], quorum = 2) =>
  verifyWitnessed(notes, { vkey: log.signer.vkey, witnesses, quorum })

describe('a checkpoint with signatures of witnesses', () => {
  // claim: witnesses-11
  it('counts as seen from the time of the signature that completes the quorum, whatever the order of the signatures', () => {
    const note = seen(log, [
      [three, 300],
      [one, 0],
      [two, 100],
    ])
    expect(judge(note)).toMatchObject({
      outcome: 'holds',
      says: 'seen by 2 of 3 witnesses by 2026-05-01T12:01:40Z',
      by: '2026-05-01T12:01:40Z',
    })
    expect(judge(note, 1)).toMatchObject({ says: 'seen by 1 of 3 witnesses by 2026-05-01T12:00:00Z' })
    expect(judge(note, 3)).toMatchObject({ says: 'seen by 3 of 3 witnesses by 2026-05-01T12:05:00Z' })
  })

  it('needs more than half of the witnesses by default', () => {
    const four = [one, two, three, new NoteSigner('witness.example/w4', 4)]
    const quorums = [1, 2, 3, 4].map((count) => {
      const vkeys = four.slice(0, count).map(({ vkey }) => vkey)
      return verifyWitnessed(log.noteAt(), { vkey: log.signer.vkey, witnesses: vkeys }).quorum
    })
    expect(quorums).toEqual([1, 2, 2, 3])
    const half = four.slice(0, 2).map((witness): Seen => [witness, 0])
    const options = { vkey: log.signer.vkey, witnesses: four.map(({ vkey }) => vkey) }
    expect(verifyWitnessed(seen(log, half), options)).toMatchObject({ verdict: 'unwitnessed', seen: 2 })
  })

  // claim: witnesses-12
  it('is "unwitnessed" without a quorum, with the number of witnesses that must still sign', () => {
    expect(judge(seen(log, [[two, 0]]), 3)).toMatchObject({
      outcome: 'cannot tell',
      verdict: 'unwitnessed',
      says: 'seen by 1 of 3 witnesses, of which it takes 3',
      needs: 'get cosignatures of 2 more witnesses: ask them about this checkpoint',
      seen: 1,
      size: 0,
    })
  })

  it('counts no witness twice, and ignores the signatures of strangers', () => {
    const stranger = new NoteSigner('witness.example/w2', 4)
    const note = seen(log, [
      [one, 0],
      [one, 5],
      [stranger, 1],
    ])
    expect(judge(note)).toMatchObject({ verdict: 'unwitnessed', seen: 1 })
  })

  it('is dated by the earliest signature of each witness, whatever the order of signatures and notes', () => {
    const early: Seen = [one, 0]
    const late: Seen = [one, 300]
    const other: Seen = [two, 100]
    for (const notes of [
      [seen(log, [early, late, other])],
      [seen(log, [late, other, early])],
      [seen(log, [early]), seen(log, [other, late])],
      [seen(log, [other, late]), seen(log, [early])],
    ]) {
      expect(judge(notes).by).toBe('2026-05-01T12:01:40Z')
    }
  })

  it('reports a known witness whose signature does not verify', () => {
    const other = one.line(log.textAt(19), NOON)
    expect(
      judge(
        seen(log, [
          [two, 0],
          [three, 0],
        ]) + other,
      ),
    ).toMatchObject({
      outcome: 'does not hold',
      verdict: 'contradicted',
      faults: ['a line of witness.example/w1 at size 20 does not verify'],
    })
  })

  it("does not accept a witness's signature if its time differs from the signed time", () => {
    const line = one.line(log.textAt(), NOON)
    const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64')
    bytes.writeBigUInt64BE(BigInt(NOON - 1), 4)
    const backdated = `— ${one.name} ${bytes.toString('base64')}\n`
    expect(judge(log.noteAt() + backdated).verdict).toBe('contradicted')
  })

  it('is dated in seconds if its time is after the year 9999, which RFC 3339 does not have', () => {
    const [last, next] = [253_402_300_799, 253_402_300_800]
    expect(judge(seen(log, [[one, last - NOON]]), 1).by).toBe('9999-12-31T23:59:59Z')
    expect(judge(seen(log, [[one, next - NOON]]), 1).by).toBe('253402300800 s since 1970')
  })

  it('has at most 2⁵³ − 1 entries', async () => {
    const noteOf = (size: string) => {
      const text = log.textAt().replace('\n20\n', `\n${size}\n`)
      return `${text}\n${log.signer.line(text)}`
    }
    expect(judge(noteOf('9007199254740991')).verdict).toBe('unwitnessed')
    expect(await codeOf(() => judge(noteOf('9007199254740992')))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused without the signature of the log itself', async () => {
    const note = seen(log, [
      [one, 0],
      [two, 0],
    ])
    const vkey = new HandLog().signer.vkey
    expect(await codeOf(() => verifyWitnessed(note, { vkey, witnesses }))).toBe('MESSAGE_MALFORMED')
    const altered = note.replace('\n20\n', '\n21\n')
    expect(await codeOf(() => judge(altered))).toBe('SIGNATURE_INVALID')
  })

  it.each([
    ['differs in case', (name) => name.toUpperCase()],
    ['has a suffix', (name) => `${name}/2`],
    ['lacks a character', (name) => name.slice(0, -1)],
    ['has characters that look the same', (name) => name.replace('e', 'е')],
  ] satisfies [string, (name: string) => string][])(
    'belongs to another log if the name of its log %s, even with the same private key',
    async (_, change) => {
      const { name } = log.signer
      const other = change(name)
      const text = log.textAt().replace(name, other)
      const line = log.signer.line(text)
      for (const signed of [line, line.replace(name, other)])
        expect(await codeOf(() => judge(`${text}\n${signed}`))).toBe('MESSAGE_MALFORMED')
    },
  )

  it.each([
    ['1 line', 1, 'unwitnessed'],
    ['16 lines', 16, 'unwitnessed'],
    ['17 lines', 17, 'MESSAGE_MALFORMED'],
  ] as const)('is malformed unless it has 1 to 16 lines with signatures: %s', async (_, count, verdict) => {
    const lines = Array.from({ length: count - 1 }, (_, at) => new NoteSigner(`w${at}`, 4).line(log.textAt()))
    const note = log.noteAt() + lines.join('')
    const said = () => judge(note).verdict
    expect(count === 17 ? await codeOf(said) : said()).toBe(verdict)
  })

  it('is malformed if a line with a signature is longer than 8,192 characters', async () => {
    const lineOf = (length: number) => `— w `.concat('A'.repeat(length)).slice(0, length)
    const [longest, longer] = [8_192, 8_196].map((length) => `${lineOf(length)}\n`)
    expect(judge(log.noteAt() + longest).verdict).toBe('unwitnessed')
    expect(await codeOf(() => judge(log.noteAt() + longer))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused if all its signatures are removed', async () => {
    expect(await codeOf(() => judge(`${log.textAt()}\n`))).toBe('MESSAGE_MALFORMED')
  })
})

describe('several checkpoints of a log with witnesses', () => {
  it('are dated by the largest checkpoint that the quorum has signed', () => {
    const notes = [
      seen(
        log,
        [
          [one, 0],
          [two, 0],
        ],
        5,
      ),
      seen(
        log,
        [
          [one, 60],
          [three, 90],
        ],
        12,
      ),
      seen(log, [[two, 95]]),
    ]
    expect(judge(notes)).toMatchObject({ outcome: 'holds', size: 12, by: '2026-05-01T12:01:30Z' })
  })

  // claim: witnesses-7
  it('reveal which witnesses signed which of two roots of the same size', () => {
    const fork = log.fork(19).grow(1, 'other')
    const { verdict, faults } = judge([
      seen(log, [
        [one, 0],
        [two, 0],
      ]),
      seen(fork, [[three, 0]]),
    ])
    expect(verdict).toBe('contradicted')
    expect(faults).toEqual([
      expect.stringMatching(
        /^the log has two roots at size 20: \w{8}… seen by witness\.example\/w1 and witness\.example\/w2, \w{8}… seen by witness\.example\/w3$/,
      ),
    ])
  })

  // claim: witnesses-21
  it('are witnessed without a witness that contradicts itself if the others reach the quorum', () => {
    const smaller = seen(log, [[three, 90]], 7)
    const [withOthers, withOne] = [
      seen(log, [
        [one, 10],
        [two, 20],
        [three, 0],
      ]),
      seen(log, [
        [one, 10],
        [three, 0],
      ]),
    ]
    const lie =
      'witness.example/w3 has signed size 7 at 2026-05-01T12:01:30Z, after size 20 at 2026-05-01T12:00:00Z'
    expect(judge([smaller, withOthers])).toMatchObject({
      verdict: 'witnessed',
      by: '2026-05-01T12:00:20Z',
      seen: 2,
      faults: [lie],
      says: `seen by 2 of 3 witnesses by 2026-05-01T12:00:20Z; ${lie}`,
    })
    expect(judge([smaller, withOne])).toMatchObject({
      verdict: 'unwitnessed',
      outcome: 'cannot tell',
      seen: 1,
      size: 0,
      faults: [lie],
      needs: 'get cosignatures of 1 more witness: ask them about this checkpoint',
    })
  })

  it.each([1, 2, 3, 4])(
    'do not count a witness that contradicts itself, out of %i witnesses that the reader lists',
    (count) => {
      const known = [one, two, three, new NoteSigner('witness.example/w4', 4)].slice(0, count)
      const notes = [
        seen(log, [[one, 90]], 7),
        seen(
          log,
          known.map((witness): Seen => [witness, 0]),
        ),
      ]
      const options = { vkey: log.signer.vkey, witnesses: known.map(({ vkey }) => vkey), quorum: count }
      expect(verifyWitnessed(notes, options)).toMatchObject({ verdict: 'unwitnessed', seen: count - 1 })
    },
  )

  it('reveal a witness that has signed two roots of the same size, or a smaller log after a larger one', () => {
    const fork = log.fork(19).grow(1, 'other')
    expect(judge([seen(log, [[one, 0]]), seen(fork, [[one, 1]])]).faults).toContain(
      'witness.example/w1 has signed two logs of size 20',
    )
    expect(judge([seen(log, [[two, 50]], 7), seen(log, [[two, 0]])]).faults).toEqual([
      'witness.example/w2 has signed size 7 at 2026-05-01T12:00:50Z, after size 20 at 2026-05-01T12:00:00Z',
    ])
  })
})

describe('the witnesses in the options of verifyWitnessed', () => {
  it.each([
    ['no public key', [], 1],
    ['one public key twice', [one.vkey, one.vkey], 1],
    ['a quorum of more witnesses than are listed', [one.vkey, two.vkey], 3],
    [
      'more public keys than fit into a note with the log',
      Array.from({ length: 16 }, (_, at) => new NoteSigner(`w${at}`, 4).vkey),
      3,
    ],
  ])('are refused with %s', async (_, witnesses, quorum) => {
    const options = { vkey: log.signer.vkey, witnesses, quorum }
    expect(await codeOf(() => verifyWitnessed(log.noteAt(), options))).toBe('CONFIG_INVALID')
  })

  it('are refused if two of them have the same public key under different names', async () => {
    const seed = Buffer.alloc(32, 7)
    const twins = ['a.example', 'b.example'].map((name) => new NoteSigner(name, 4, seed).vkey)
    const options = { vkey: log.signer.vkey, witnesses: twins }
    expect(await codeOf(() => verifyWitnessed(log.noteAt(), options))).toBe('CONFIG_INVALID')
  })
})
