import { generateKey, keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { type MakePackOptions, makePack, type PackVerdict } from 'alvarium-sdk/packs'
import { concat, utf8 } from './bytes.js'

export const payload = utf8('a reading')
export const about = { payload: { hash: 'sha256', key: keyOf(payload) } } as const

/** Returns a signer, and a trust policy that has its key. */
export function signer(name = 'gateway-1') {
  const { signingKey, verifyingKey, keyId } = generateKey()
  const trust = { signers: [{ name, keys: [toHex(verifyingKey)] }] }
  return { signingKey, verifyingKey, keyId, trust, keyring: [verifyingKey] }
}

/** Returns a signer and three messages: two about the payload, and one about its input. */
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

/** Returns a signer, a log of so many messages, each about another payload, and the log's checkpoints. */
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

/** Returns the bytes of a pack, and its author's verdict. */
export async function packed(messages: Iterable<Uint8Array>, options: MakePackOptions) {
  const making = makePack(messages, options)
  const pieces: Uint8Array[] = []
  for (;;) {
    const next = await making.next()
    if (next.done) return { bytes: concat(...pieces), verdict: next.value satisfies PackVerdict }
    pieces.push(next.value)
  }
}
