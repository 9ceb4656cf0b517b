import {
  type Annotator,
  memory,
  openSdk,
  source,
  type TlsSocket,
  tls,
  type VerifiedBundle,
} from 'alvarium-sdk'
import { useCore } from 'alvarium-sdk/core'
import core from 'alvarium-sdk/core.wasm'

const inRange = {
  kind: 'in-range',
  needs: 'payload',
  isSatisfied: ({ payload, input }) => payload.length < (input ?? 100),
} satisfies Annotator<'in-range', number>

export async function annotate(signingKey: Uint8Array, socket: TlsSocket): Promise<Uint8Array> {
  const sdk = await openSdk({ signingKey, annotators: [source(), tls(), inRange], stream: memory() })
  const receipt = await sdk.transit(new Uint8Array(1), { tls: socket, 'in-range': 7 })
  // @ts-expect-error a context of the wrong type
  await sdk.transit(new Uint8Array(1), { 'in-range': 'seven' })
  // @ts-expect-error a kind that no annotator has
  await sdk.transit(new Uint8Array(1), { pki: 1 })
  return receipt.message
}

export const kinds = (bundle: VerifiedBundle): readonly string[] => bundle.annotations.map(({ kind }) => kind)

export const start = () => useCore(core)
