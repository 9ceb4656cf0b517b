import { type VerifiedBundle, verifyMessages } from 'alvarium-sdk'
import { toProv } from 'alvarium-sdk/packs'
import { concat, fromBase64, fromHex, textOf, utf8 } from './bytes.js'
import { golden, goldenInputs } from './vectors.js'

export async function written(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return textOf(concat(...all))
}

export function envelopeIn(line: string) {
  const envelope = JSON.parse(line)
  return { envelope, statement: JSON.parse(textOf(fromBase64(envelope.payload))) }
}

export async function provOf(bundles: Iterable<VerifiedBundle>) {
  return JSON.parse(await written(toProv(bundles)))
}

/** Returns the golden bundles. Between them, they have every field of a bundle. */
export async function goldenBundles(): Promise<VerifiedBundle[]> {
  const { publicKey, cases } = golden()
  const messages = [...cases, ...goldenInputs().cases].map(({ message }) => utf8(message))
  const verified = await verifyMessages(messages, { keyring: [fromHex(publicKey)] })
  return verified.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}
