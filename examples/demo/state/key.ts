/** The signing key's public half and its name. */
import { signal } from '@preact/signals'
import type { KeyInfo, KeyKind } from '../protocol.ts'
import { maker, verifier } from './workers.ts'

/** Current signing key; undefined until the maker has opened. */
export const key = signal<KeyInfo | undefined>(undefined)

/** Every public key that this page has had, including those of its stations. */
export const trustedKeys = signal<readonly string[]>([])

/** Adds a key to the verifier, which trusts all earlier keys too, so that earlier bundles still verify. */
export async function trust(publicKey: string, isLasting: boolean): Promise<void> {
  if (trustedKeys.peek().includes(publicKey)) return
  await verifier.call('trust', { publicKey, isLasting })
  trustedKeys.value = [...trustedKeys.peek(), publicKey]
}

export async function setKey(info: KeyInfo): Promise<void> {
  await trust(info.publicKey, true)
  others.postMessage(info.publicKey)
  key.value = info
}

/** Channel to the other tabs of this browser: each trusts the keys of all. */
const others = new BroadcastChannel('alvarium-demo-keys')
others.onmessage = ({ data }: MessageEvent<unknown>) => {
  // Other pages of this origin can send here too, so anything but a key is ignored.
  if (typeof data === 'string') trust(data, true).catch(() => {})
}

/**
 * Makes a new key.
 *
 * @throws CallFailed if the browser cannot hold such a key
 */
export async function newKey(kind: KeyKind): Promise<void> {
  await setKey(await maker.call('newKey', kind))
}

/** Offers the private key as a file, in the format of the other Alvarium SDKs. @throws CallFailed for a non-extractable key */
export async function downloadPrivateKey(): Promise<void> {
  download('private.key', await maker.call('exportPrivateKey'))
}

export function downloadPublicKey(): void {
  if (key.value) download('public.key', key.value.publicKey)
}

/** Offers a text as a file. */
export function download(name: string, text: string, type = 'text/plain'): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
