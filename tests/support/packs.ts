import { generateKey, keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { type MakePackOptions, makePack, type PackVerdict } from 'alvarium-sdk/packs'
import { concat, utf8 } from './bytes.js'

export const payload = utf8('a reading')
export const about = { payload: { hash: 'sha256', key: keyOf(payload) } } as const

/** Who signs, and a trust policy that has them. */
export function signer(name = 'gateway-1') {
  const { signingKey, verifyingKey, keyId } = generateKey()
  const trust = { signers: [{ name, keys: [toHex(verifyingKey)] }] }
  return { signingKey, verifyingKey, keyId, trust, keyring: [verifyingKey] }
}

/** A signer, and three messages: two about the payload, and one about what it was made from. */
export async function evidence() {
  const who = signer()
  const stream = memory()
  const sdk = await openSdk({ signingKey: who.signingKey, annotators: [source()], stream, host: 'edge-7' })
  await sdk.create(utf8('raw'))
  await sdk.mutate(utf8('raw'), payload)
  await sdk.transit(payload)
  await sdk.close()
  return { ...who, messages: stream.messages }
}

/** A signer with a log of so many messages, each about another payload, and the checkpoints of it. */
export async function logged(count: number) {
  const who = signer()
  const [stream, notes] = [memory(), memory()]
  const own = checkpoints({ stream: notes, everyMs: 3_600_000, every: 4 })
  const sdk = await openSdk({
    signingKey: who.signingKey,
    annotators: [source()],
    stream,
    host: 'edge-7',
    checkpoints: own,
  })
  for (let at = 0; at < count; at++) await sdk.create(utf8(`payload ${at}`))
  await sdk.close()
  return { ...who, messages: stream.messages, notes: notes.messages }
}

/** The bytes of a pack, and the verdict of who made it. */
export async function packed(messages: Iterable<Uint8Array>, options: MakePackOptions) {
  const making = makePack(messages, options)
  const pieces: Uint8Array[] = []
  for (;;) {
    const next = await making.next()
    if (next.done) return { bytes: concat(...pieces), verdict: next.value satisfies PackVerdict }
    pieces.push(next.value)
  }
}
