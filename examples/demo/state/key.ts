/** Public half of the signing key, and the keys that the verifier trusts. */
import { signal } from '@preact/signals'
import type { KeyInfo, KeyKind } from '../protocol.ts'
import { maker, verifier } from './workers.ts'

/** Current signing key; undefined until the maker has opened. */
export const key = signal<KeyInfo | undefined>(undefined)

/** Public keys that this page and other tabs have used, including those of the page's stations. */
export const trustedKeys = signal<readonly string[]>([])

/** Trusts one more public key. Earlier keys stay trusted, so that earlier bundles still verify. */
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

/** Channel to other tabs of this browser, which trust each other's keys. */
const others = new BroadcastChannel('alvarium-demo-keys')
others.onmessage = ({ data }: MessageEvent<unknown>) => {
  // Ignore anything but a key, because other pages of this origin can send on this channel.
  if (typeof data === 'string') trust(data, true).catch(() => {})
}

/** Makes a new key. @throws CallFailed if the browser does not support this kind of key */
export async function newKey(kind: KeyKind): Promise<void> {
  await setKey(await maker.call('newKey', kind))
}

/** Offers the private key for download, as other SDKs store it. @throws CallFailed if not extractable */
export async function downloadPrivateKey(): Promise<void> {
  download('private.key', await maker.call('exportPrivateKey'))
}

export function downloadPublicKey(): void {
  if (key.value) download('public.key', key.value.publicKey)
}

export function download(name: string, text: string, type = 'text/plain'): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
