/** Contestants that call the SDK in three ways: one call at a time, in parallel, and in batches. */
import { AT_ONCE, BATCH } from '../../race.ts'
import { keyOf, openSdk, type Receipt, type Sdk, source, verifyBatch, verifyMessage } from '../sdk.ts'
import { type Contestant, inTurn, type Place, type Verified } from './contestant.ts'

type Calls = (sdk: Sdk, payloads: readonly Uint8Array[]) => Promise<readonly Receipt[]>

const MANY = { sdk: 1, 'sdk-together': AT_ONCE, 'sdk-batch': BATCH } as const

const CALLS: Readonly<Record<keyof typeof MANY, Calls>> = {
  sdk: async (sdk, [payload]) => [await sdk.create(payload as Uint8Array)],
  'sdk-together': (sdk, payloads) => Promise.all(payloads.map((payload) => sdk.create(payload))),
  'sdk-batch': (sdk, payloads) => sdk.createMany(payloads),
}

export async function openOurs(way: keyof typeof MANY, place: Place): Promise<Contestant> {
  const { signingKey, payloads, annotators } = place
  const sdk = await openSdk({
    signingKey,
    // Use copies of one annotator, as the performance report does.
    annotators: Array.from({ length: annotators }, () => source()),
    // Drop all messages, so that only the SDK is measured.
    stream: { publish: () => {} },
  })
  const next = inTurn(payloads)
  const some = () => Array.from({ length: MANY[way] }, () => next())
  return {
    calls: MANY[way],
    run: () => CALLS[way](sdk, some()),
    check: async () => {
      const chosen = some()
      return check(await CALLS[way](sdk, chosen), chosen, place)
    },
    close: () => sdk.close(),
  }
}

/** Verifies each message once. All receipts of a batch share one message. */
async function check(
  receipts: readonly Receipt[],
  payloads: readonly Uint8Array[],
  { annotators, verifyingKey }: Place,
): Promise<Verified> {
  const messages = new Set(receipts.map(({ message }) => message))
  const isBatch = receipts.length > 1 && messages.size === 1
  const keyring = [verifyingKey]
  const bundles = isBatch
    ? await verifyBatch([...messages][0] as Uint8Array, { keyring })
    : await Promise.all([...messages].map((message) => verifyMessage(message, { keyring })))
  const areAbout = bundles.every(
    ({ key, annotations }, at) =>
      key === keyOf(payloads[at] as Uint8Array) &&
      annotations.filter((one) => one.isSatisfied).length === annotators,
  )
  if (bundles.length !== payloads.length || !areAbout) {
    throw new Error(`alvarium-sdk: expected bundles about all ${payloads.length} payloads`)
  }
  return { signatures: messages.size, annotations: bundles.length * annotators }
}
