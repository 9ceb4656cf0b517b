import { cpus } from 'node:os'
import {
  generateKey,
  type KeyPair,
  Keyring,
  memory,
  openSdk,
  type Sdk,
  source,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { EXIT, type Run } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { bold, dim, padText, type SafeText, safeText } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'

/** Milliseconds for the warm-up, and again for the measurement, of each operation. */
const MEASURED_MS = 600

interface Result extends Pick<Subject, 'what'> {
  readonly microseconds: number
  readonly each: readonly number[]
}

export const run: Run<{ readonly json?: boolean }> = async (_, { json }, session) => {
  const results: Result[] = []
  session.begin()
  const line = () => safeText`measuring, ${results.length + 1}`
  await showProgress(session, line, async () => {
    for (const { what, once, times } of await subjects()) {
      if (session.interrupted.aborted) return
      const each = await rounds(once, times, MEASURED_MS)
      results.push({ what, microseconds: median(each), each })
    }
  })
  const machine = `${cpus()[0]?.model ?? 'an unknown processor'}, ${cpus().length} cores, ${process.version}`
  await session.out.show(json, { machine, results }, () => [dim(machine), ...results.map(resultRow)])
  return EXIT.yes
}

function resultRow({ what, microseconds, each }: Result): SafeText {
  const spread = dim(safeText`${Math.min(...each).toFixed(1)} to ${Math.max(...each).toFixed(1)}`)
  const rate = padText(`${count(1e6 / microseconds)} a second`, 18)
  return safeText`${padText(what, 44)}${bold(microseconds.toFixed(1).padStart(7))} µs  ${rate}${spread}`
}

const ROUNDS = 9

/**
 * Measures in rounds, so that a disturbance of one round does not change the median.
 *
 * @param once - function to measure
 * @param times - number of operations in one call of `once`
 * @param forMs - total duration of all rounds in milliseconds
 * @returns microseconds per operation, for each round
 */
async function rounds(once: () => Promise<unknown>, times: number, forMs: number): Promise<number[]> {
  await during(once, forMs)
  const each: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { elapsedMs, calls } = await during(once, forMs / ROUNDS)
    each.push((1000 * elapsedMs) / (calls * times))
  }
  return each
}

async function during(once: () => Promise<unknown>, milliseconds: number) {
  const since = performance.now()
  let [calls, elapsedMs] = [0, 0]
  do {
    await once()
    calls++
    elapsedMs = performance.now() - since
  } while (elapsedMs < milliseconds)
  return { calls, elapsedMs }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

interface Subject {
  readonly what: string
  /** Number of operations in one call of `once`. */
  readonly times: number
  once(): Promise<unknown>
}

const CALLS_PER_BATCH = 64
const SMALL = 100
const LARGE = 20_000

async function subjects(): Promise<Subject[]> {
  const key = generateKey()
  const [one, five] = [await sdkWith(1, key), await sdkWith(5, key)]
  const keyring = new Keyring([key.verifyingKey])
  const messages = await messagesOf(key)
  const [message] = messages as [Uint8Array]
  const payload = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
  const [small, large] = [payload(SMALL), payload(LARGE)]
  return [
    { what: 'create, 100 bytes, 1 annotator', times: 1, once: () => one.create(small) },
    { what: 'create, 100 bytes, 5 annotators', times: 1, once: () => five.create(small) },
    { what: 'create, 20,000 bytes, 5 annotators', times: 1, once: () => five.create(large) },
    {
      what: 'create, 100 bytes, in batches of 256',
      times: 256,
      once: () => five.createMany(Array.from({ length: 256 }, () => small)),
    },
    { what: 'verify a message', times: 1, once: () => verifyMessage(message, { keyring }) },
    {
      what: `verify ${CALLS_PER_BATCH} messages together, each`,
      times: CALLS_PER_BATCH,
      once: () => verifyMessages(messages, { keyring }),
    },
  ]
}

function sdkWith(annotators: number, { signingKey }: KeyPair): Promise<Sdk> {
  const kinds = Array.from({ length: annotators }, (_, at) => ({ ...source(), kind: `src-${at}` }))
  return openSdk({ signingKey, annotators: kinds, stream: { publish: () => undefined } })
}

async function messagesOf({ signingKey }: KeyPair): Promise<Uint8Array[]> {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  for (let at = 0; at < CALLS_PER_BATCH; at++) await sdk.create(Uint8Array.of(at))
  await sdk.close()
  return [...stream.messages]
}
