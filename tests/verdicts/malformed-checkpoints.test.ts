import { AlvariumError, generateKey, Keyring, subscribe } from 'alvarium-sdk'
import { completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { startEmbedded } from '../brokers/embedded.js'
import {
  bundleBy,
  type CheckpointLines,
  checkpointBy,
  foldOf,
  noteLine,
  peaksOf,
} from '../support/by-hand.js'
import { messageOf, noteOf } from '../support/checkpoints.js'
import { codeOf } from '../support/failure.js'
import { closing, sender } from '../support/receiving.js'
import { until } from '../support/until.js'

/* Checkpoints with a good signature, but with a text that no honest signer writes. */

const party = generateKey()
const keyring = new Keyring([party.verifyingKey])
const RUN = 'ef'.repeat(16)
const log = Array.from({ length: 12 }, (_, at) =>
  bundleBy(party, { payload: `${at}`, timestamp: `2026-11-20T10:00:${10 + at}.000000Z` }),
)
const peaksAt = (size: number) => peaksOf(log.slice(0, size).map(({ leaf }) => leaf))
const hash = new Uint8Array(32).fill(7)

/** Signs a checkpoint of a log with `first` messages before its list, and `size` in all. */
const note = (
  first: number,
  size: number,
  peaks: readonly Uint8Array[] | string = peaksAt(first),
  roots: Pick<Partial<CheckpointLines>, 'root' | 'fromRoot'> = {},
) =>
  checkpointBy(party, {
    run: RUN,
    number: 1,
    log: log.slice(0, size),
    first,
    peaks,
    from: '2026-11-20T10:00:00.000000Z',
    at: '2026-11-20T10:01:00.000000Z',
    ...roots,
  })

const WRONG: readonly [what: string, peaks: (size: number) => Uint8Array[]][] = [
  ['no peak', () => []],
  ['one peak fewer, without the smallest', (size) => peaksAt(size).slice(0, -1)],
  ['one peak fewer, without the largest', (size) => peaksAt(size).slice(1)],
  ['one peak more', (size) => [...peaksAt(size), hash]],
  ['one peak more, in front', (size) => [hash, ...peaksAt(size)]],
  ['twice as many peaks', (size) => [...peaksAt(size), ...peaksAt(size)]],
]

describe('the peaks of a checkpoint', () => {
  it("are valid if there is one for each 1 bit in the number of messages before the checkpoint's list", async () => {
    for (let first = 0; first < 12; first++) {
      const { size } = await verifyCheckpoint(note(first, 12), { keyring })
      expect(size).toBe(12)
    }
  })

  it.each(WRONG)("are malformed with %s, whatever the length of the checkpoint's list", async (_, peaks) => {
    for (let first = 1; first < 12; first++) {
      for (const size of [first, first + 1, 12]) {
        const fromRoot = foldOf(peaks(first))
        const root = size === first ? { root: fromRoot } : {}
        // The root of the log, and the root that these peaks give.
        for (const roots of [{}, { fromRoot, ...root }]) {
          const message = note(first, size, peaks(first), roots)
          expect(await codeOf(() => verifyCheckpoint(message, { keyring }))).toBe('MESSAGE_MALFORMED')
        }
      }
    }
  })

  it('are malformed if their number is right, but their root is wrong', async () => {
    const others = peaksAt(7).map(() => hash)
    expect(await codeOf(() => verifyCheckpoint(note(7, 12, others), { keyring }))).toBe('MESSAGE_MALFORMED')
  })

  it.each(['peaks ', 'peaks  '])(
    'are malformed if a line without peaks has a space after the word "peaks": "%s"',
    async (line) => {
      expect((await verifyCheckpoint(note(0, 3, 'peaks'), { keyring })).size).toBe(3)
      expect(await codeOf(() => verifyCheckpoint(note(0, 3, line), { keyring }))).toBe('MESSAGE_MALFORMED')
    },
  )

  it('are malformed in a checkpoint whose list begins with the first message of the log', async () => {
    expect(await codeOf(() => verifyCheckpoint(note(0, 3, [hash]), { keyring }))).toBe('MESSAGE_MALFORMED')
  })
})

describe('a subscription to malformed checkpoints', () => {
  let broker: Awaited<ReturnType<typeof startEmbedded>>
  beforeAll(async () => {
    broker = await startEmbedded()
  })
  afterAll(() => broker.stop())

  it('rejects each malformed checkpoint, and delivers the messages that follow', async () => {
    const topic = `peaks-${crypto.randomUUID()}`
    const bundles = closing(
      subscribe({ url: broker.tcpUrl, topic, keyring, durable: false, completeness: completeness() }),
    )
    const codes: string[] = []
    bundles.addEventListener('rejected', ({ error }) => codes.push(error.code))
    await bundles.open()
    const loop = bundles[Symbol.asyncIterator]()
    const next = loop.next()
    const [out, beside] = [
      await sender(broker.tcpUrl, topic),
      await sender(broker.tcpUrl, `${topic}/signers`),
    ]
    for (const [, peaks] of WRONG) {
      await beside.publish(note(3, 4, peaks(3), { fromRoot: foldOf(peaks(3)) }))
    }
    await until(() => codes.length === WRONG.length)
    await out.publish((log[0] as { message: Uint8Array }).message)
    expect((await next).value).toMatchObject({ signer: party.keyId })
    expect(codes).toEqual(WRONG.map(() => 'MESSAGE_MALFORMED'))
  })
})

it('a checkpoint verifies or is refused with a code, whatever its signer has written into it', async () => {
  const random = new Random(11)
  const text = noteOf(note(7, 12)).split('\n\n')[0] as string
  const lines = text.split('\n')
  const numbers = [
    '0',
    '1',
    '3',
    '2147483648',
    '4294967295',
    '9007199254740991',
    '9007199254740992',
    '-1',
    '1.5',
    '',
  ]
  for (let round = 0; round < 3_000; round++) {
    const some = [...lines]
    for (let times = 1 + random.below(3); times > 0; times--) {
      const at = 1 + random.below(some.length - 1)
      const line = some[at] as string
      const words = line.split(' ')
      words[random.below(words.length)] = random.pick([
        ...numbers,
        ...lines.flatMap((one) => one.split(' ')),
        '',
      ])
      const changed = [words.join(' '), line.slice(0, -random.below(50)), '', `${line} ${line}`]
      some.splice(at, random.below(3), ...random.pick([[random.pick(changed)], [line, line], []]))
      if (some.length < 2) break
    }
    const signed = `${some.join('\n')}\n`
    const message = messageOf(`${signed}\n${noteLine(party, lines[0] as string, signed)}\n`)
    const error = await verifyCheckpoint(message, { keyring }).then(
      () => undefined,
      (reason) => reason,
    )
    if (error !== undefined) expect(error, signed).toBeInstanceOf(AlvariumError)
  }
})
