import {
  type Codec,
  classic,
  extractBundle,
  keyOf,
  memory,
  openSdk,
  type Sdk,
  source,
  toHex,
  verifyBatch,
  verifyClassic,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { BundleGraph, readPolicy, scorePayload } from 'alvarium-sdk/score'
import { readTrust } from 'alvarium-sdk/trust'
import { it } from 'vitest'
import { bundleBy, leaseBy, type Party } from '../support/by-hand.js'
import { utf8 } from '../support/bytes.js'
import { kind } from '../support/pieces.js'
import { device, issuer, KEYRING, MESSAGE, stranger, trusting } from './evidence.js'

// For each function that verifies messages: its verdict holds with all of its evidence, but not with any one piece of
// it changed.

const payloads = ['a', 'b', 'c'].map(utf8) as [Uint8Array, Uint8Array, Uint8Array]
const [a, b, c] = payloads

async function messagesOf(act: (sdk: Sdk) => Promise<unknown>, codec?: Codec) {
  const stream = memory()
  const given = { signingKey: device.signingKey, annotators: [source()], stream, host: 'edge-7' }
  const sdk = await openSdk({ ...given, ...(codec && { codec }) })
  await act(sdk)
  await sdk.close()
  return stream.messages as [Uint8Array, Uint8Array]
}

const NOT_CHECKED = { reason: 'no payload was compared' }

const verifyWith = async (message: Uint8Array, keyring: Uint8Array[], payload: Uint8Array) => {
  const bundle = await verifyMessage(message, { keyring, payload })
  return bundle.payloadChecked ? { holds: bundle } : NOT_CHECKED
}

/** Returns batches in which the payload `b` is the second one. */
const batches = () =>
  messagesOf(async (sdk) => {
    await sdk.createMany(payloads)
    await sdk.createMany(payloads.toReversed())
  })

it.each<readonly [string, () => Promise<void>]>([
  [
    'verifyMessage',
    kind({
      cases: async () => {
        const [one, other] = await messagesOf(async (sdk) => {
          await sdk.mutate(c, a)
          await sdk.mutate(a, b)
        })
        return [
          { message: one, keyring: trusting(), payload: a },
          { message: other, keyring: trusting(stranger), payload: b },
        ]
      },
      verdict: ({ message, keyring, payload }) => verifyWith(message, keyring, payload),
      reasons: { message: MESSAGE, keyring: KEYRING, payload: /payload/ },
    }),
  ],
  [
    'verifyMessage of a bundle that was taken out of a batch',
    kind({
      cases: async () => {
        const [one, other] = await batches()
        return [
          { message: await extractBundle(one, 1), keyring: trusting(), payload: b },
          { message: await extractBundle(other, 1), keyring: trusting(stranger), payload: a },
        ]
      },
      verdict: ({ message, keyring, payload }) => verifyWith(message, keyring, payload),
      reasons: { message: MESSAGE, keyring: KEYRING, payload: /payload/ },
      holdsAfter: ['message of another'],
    }),
  ],
  [
    'verifyBatch',
    kind({
      cases: async () => {
        const [one, other] = await batches()
        return [
          { message: one, keyring: trusting() },
          { message: other, keyring: trusting(stranger) },
        ]
      },
      verdict: async ({ message, keyring }) => ({ holds: await verifyBatch(message, { keyring }) }),
      reasons: { message: MESSAGE, keyring: KEYRING },
      holdsAfter: ['message of another'],
    }),
  ],
  [
    'verifyMessages',
    kind({
      cases: async () => {
        const [one, other] = await batches()
        const [single, third] = await messagesOf(async (sdk) => {
          await sdk.create(a)
          await sdk.create(b)
        })
        return [
          { messages: [one, single], keyring: trusting() },
          { messages: [other, third], keyring: trusting(stranger) },
        ]
      },
      verdict: async ({ messages, keyring }) => {
        const verdicts = await verifyMessages(messages, { keyring })
        const failed = verdicts.find(({ status }) => status === 'rejected') as
          | PromiseRejectedResult
          | undefined
        return failed ? { reason: failed.reason.message } : { holds: verdicts }
      },
      reasons: { messages: MESSAGE, keyring: KEYRING },
      holdsAfter: [
        'messages of another',
        'messages 0 removed',
        'messages 0 of another',
        'messages 1 removed',
        'messages 1 of another',
      ],
    }),
  ],
  [
    'verifyClassic',
    kind({
      cases: async () => {
        const codec = classic({ signingKey: device.signingKey, dialect: 'go' })
        const [one, other] = await messagesOf(async (sdk) => {
          await sdk.create(a)
          await sdk.create(b)
        }, codec)
        return [
          { message: one, keyring: trusting(), payload: a },
          { message: other, keyring: trusting(stranger), payload: b },
        ]
      },
      verdict: async ({ message, keyring, payload }) => {
        const { outcome, says, annotations } = await verifyClassic(message, { keyring, payload })
        const reasons = annotations.map((one) => (one.status === 'rejected' ? one.reason.message : ''))
        if (outcome !== 'holds') return { reason: `${says}: ${reasons}` }
        const isChecked = annotations.every((one) => one.status === 'fulfilled' && one.value.payloadChecked)
        return isChecked ? { holds: annotations } : NOT_CHECKED
      },
      reasons: { message: /./, keyring: /./, payload: /payload/ },
    }),
  ],
  [
    'verifyMessage by a policy, a lease and a time of receipt',
    kind({
      cases: async () => {
        const evidence = async (payload: string, owner: Party, subject: Party) => ({
          message: bundleBy(device, { payload, timestamp: '2026-11-20T10:05:00.000000Z' }).message,
          policy: { signers: [{ name: 'plant', keys: [toHex(owner.verifyingKey)] }] },
          leases: [await leaseBy(issuer, subject, '2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z')],
          receivedAt: '2026-11-20T10:06:00Z',
        })
        return [await evidence('a', issuer, device), await evidence('b', stranger, stranger)]
      },
      verdict: async ({ message, policy, leases, receivedAt }) => {
        const keyring = await readTrust(policy)
        try {
          const options = {
            keyring,
            leases,
            receivedAt: receivedAt === undefined ? undefined : new Date(receivedAt),
          }
          const bundle = await verifyMessage(message, options)
          return bundle.signedBy?.time === 'received'
            ? { holds: bundle }
            : { reason: `${bundle.signedBy?.time}` }
        } finally {
          await keyring.close()
        }
      },
      reasons: { message: MESSAGE, policy: /./, leases: /./, receivedAt: /./ },
      holdsAfter: ['message of another', 'policy signers 0 name altered'],
    }),
  ],
  [
    'scorePayload',
    kind({
      cases: async () => {
        const [one, other] = await messagesOf(async (sdk) => {
          await sdk.create(a)
          await sdk.mutate(a, b)
        })
        const [third, fourth] = await messagesOf(async (sdk) => {
          await sdk.create(b)
          await sdk.mutate(b, c)
        })
        return [
          { messages: [one, other], keyring: trusting() },
          { messages: [third, fourth], keyring: trusting(stranger) },
        ]
      },
      verdict: async ({ messages, keyring }) => {
        const fabric = new BundleGraph()
        for (const one of messages ?? []) fabric.add(await verifyMessage(one, { keyring }))
        const dossier = fabric.scoringInput({ key: keyOf(b), hash: 'sha256' })
        const { score, why } = scorePayload(dossier, readPolicy({ version: 1, required: ['src'] }))
        return score === 1 ? { holds: why } : { reason: `score ${score}: ${JSON.stringify(why)}` }
      },
      reasons: { messages: /score|message|signature|signer|timestamp|Key/, keyring: KEYRING },
      holdsAfter: ['messages of another'],
    }),
  ],
])('%s needs each piece of its evidence about messages', (_, check) => check())
