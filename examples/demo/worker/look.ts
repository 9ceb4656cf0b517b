/** Makes one call of the SDK, and measures its steps. */
import type { Annotate, Flow, Timing } from '../protocol.ts'
import { type KeptKey, signerOf } from './keys.ts'
import { type Annotator, identityBytes, keyOf, type PayloadContext, type Receipt, type Sdk } from './sdk.ts'
import { timed, timedAsync } from './timing.ts'

export interface Bench {
  readonly sdk: Sdk
  /** SDK with a stream that accepts every message immediately, for measuring the whole call repeatedly. */
  readonly aside: Sdk
  readonly key: KeptKey
  readonly annotators: readonly Annotator[]
  /** Returns the time of `performance.now()` at which the SDK passed a message to the stream. */
  handedOver(message: Uint8Array): number
  /** Approximate duration in milliseconds of the measurement of each single step. */
  readonly budgetMs: number
}

/** Makes the call, then measures its steps separately. */
export async function look(call: Annotate, bench: Bench): Promise<Flow> {
  const begin = performance.now()
  const receipt = await perform(bench.sdk, call)
  const accepted = performance.now()
  const handedOver = bench.handedOver(receipt.message)
  const once = (ms: number): Timing => ({ micros: ms * 1000, runs: 1 })
  return {
    ...(await takeApart(receipt, call, bench)),
    sealing: once(handedOver - begin),
    accepting: once(accepted - handedOver),
  }
}

/** Makes the call. Resolves when the outbox has delivered the message. */
export async function perform(sdk: Sdk, call: Annotate): Promise<Receipt> {
  const receipt = await made(sdk, call)
  await receipt.delivered
  return receipt
}

function made(sdk: Sdk, { action, payload, previousPayload }: Annotate): Promise<Receipt> {
  if (action !== 'mutate') return sdk[action](payload)
  if (!previousPayload) throw new TypeError('mutate: expected the previous payload')
  return sdk.mutate(previousPayload, payload)
}

async function takeApart(receipt: Receipt, call: Annotate, bench: Bench) {
  const { budgetMs, key, aside } = bench
  const { payload, action } = call
  // Copy message and identity, because the stream may still use the originals when the page gets the copies.
  const message = receipt.message.slice()
  const identity = new Uint8Array(identityBytes(message))
  const sign = signerOf(key)
  return {
    action,
    payload,
    bundle: receipt.bundle,
    hashing: timed(() => keyOf(payload), budgetMs),
    asking: receipt.bundle.annotations.map(({ kind }) => askingTime(kind, call, bench)),
    identity,
    signature: signatureIn(message),
    signing:
      key.kind === 'core'
        ? timed(() => sign(identity), budgetMs)
        : await timedAsync(async () => sign(identity), budgetMs),
    warm: await warmTime(call, aside, budgetMs),
    message,
  }
}

/** Number of calls that are timed together, because a single call is shorter than a step of the clock. */
const CALLS = 16

async function warmTime(call: Annotate, aside: Sdk, budgetMs: number): Promise<Timing> {
  const { micros, runs } = await timedAsync(async () => {
    for (let n = 0; n < CALLS; n++) await made(aside, call)
  }, budgetMs)
  return { micros: micros / CALLS, runs: runs * CALLS }
}

function askingTime(kind: string, call: Annotate, { annotators, budgetMs }: Bench): Timing {
  const annotator = annotators.find((candidate) => candidate.kind === kind)
  const context: PayloadContext = call
  return timed(() => annotator?.isSatisfied(context), budgetMs / 4)
}

function signatureIn(message: Uint8Array): string {
  return JSON.parse(new TextDecoder().decode(message)).content.signature
}
