import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type VerifyOptions, verifyBatch, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { type VerifiedCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { makePack, readPack, verifyPack } from 'alvarium-sdk/packs'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { alvarium, folder } from '../cli/command.js'
import { concat, textOf } from './bytes.js'

/** A message with its leases and checkpoints, the time of receipt, and the reader's policy. */
export interface Delivery {
  readonly policy: Policy
  readonly message: Uint8Array
  readonly leases: readonly Uint8Array[]
  readonly notes: readonly Uint8Array[]
  readonly receivedAt: string | undefined
}

type VerifiedOutcome = { readonly signedBy?: { readonly time: string } | undefined }
const wordOf = (verified: Promise<VerifiedOutcome>) =>
  verified.then(
    ({ signedBy }) => signedBy?.time,
    ({ code }) => code,
  )

/** Returns the time word, or the code of the refusal, by each call that verifies a message. */
export async function byEachCall({ policy, message, leases, notes, receivedAt }: Delivery) {
  const keyring = await readTrust(policy)
  const received = receivedAt === undefined ? {} : { receivedAt: new Date(receivedAt) }
  const checkpoints = await checkpointsIn(notes, { keyring, leases })
  const options = { keyring, leases, checkpoints, ...received }
  const [one] = await verifyMessages([message], options)
  return {
    alone: await wordOf(verifyMessage(message, options)),
    batch: await wordOf(verifyBatch(message, options).then(([bundle]) => bundle as VerifiedOutcome)),
    together: one?.status === 'fulfilled' ? one.value[0]?.signedBy?.time : one?.reason.code,
  }
}

/** Verifies checkpoints as of the time when they were signed. */
async function checkpointsIn(
  notes: readonly Uint8Array[],
  options: Pick<VerifyOptions, 'keyring' | 'leases'>,
): Promise<VerifiedCheckpoint[]> {
  const verified = await Promise.allSettled(
    notes.map((note) => verifyCheckpoint(note, { ...options, receivedAt: signedAt(note) })),
  )
  return verified.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Returns the same for a pack of all of it, by an untrusted author. */
export async function byPack({ policy, message, leases, notes, receivedAt }: Delivery) {
  const keyring = await readTrust(policy)
  const trust = { signers: policy.signers.map(({ name, keys }) => ({ name, keys })) }
  const options = { about: { query: 'all' }, trust, leases: [...leases], checkpoints: [...notes] }
  const pieces: Uint8Array[] = []
  for await (const piece of makePack([message], options)) pieces.push(piece)
  const pack = concat(...pieces)
  const received = receivedAt === undefined ? {} : { receivedAt: new Date(receivedAt) }
  for await (const { signedBy } of readPack(pack, { keyring, ...received })) return signedBy?.time
  const { faults } = await verifyPack(pack, { keyring, ...received })
  return faults.find(({ part }) => part.startsWith('messages/'))?.error.code
}

/**
 * Returns the same from `alvarium verify`, with its exit code, for one file with all of it: in the given order, and
 * reversed.
 */
export async function byCommand({ policy, message, leases, notes, receivedAt }: Delivery) {
  const at = join.bind(undefined, await folder())
  await writeFile(at('trust.json'), JSON.stringify(policy))
  const all = [...leases, ...notes, message].map((one) => `${textOf(one)}\n`)
  const verdicts: (string | undefined)[] = []
  for (const lines of [all, all.toReversed()]) {
    await writeFile(at('all.ndjson'), lines.join(''))
    const judging = ['--trust', at('trust.json'), ...(receivedAt ? ['--received-at', receivedAt] : [])]
    const { out, code } = await alvarium(['verify', at('all.ndjson'), '--json', ...judging])
    const line = JSON.parse(out.trim().split('\n')[0] as string)
    verdicts.push(`${line.code ?? line.bundles[0].signedBy.time} ${code}`)
  }
  return verdicts
}

function signedAt(note: Uint8Array): Date {
  const [, at = ''] = /\nat (.+)\n/.exec(JSON.parse(textOf(note)).content) ?? []
  return new Date(at)
}
