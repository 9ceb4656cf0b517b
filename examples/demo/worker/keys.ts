/** The signing key: made here, kept in IndexedDB, never given to the page unless the visitor exports it. */
import type { KeyInfo, KeyKind } from '../protocol.ts'
import { keep, recall } from './kept.ts'
import { generateKey, keyIdOf, signBytes, toHex } from './sdk.ts'

const NAME = 'alvarium-demo-signing-key'

/** What is kept: IndexedDB can hold a CryptoKey, which nobody can read out of it again. */
export type KeptKey =
  | { readonly kind: 'core'; readonly signingKey: Uint8Array }
  | { readonly kind: 'webcrypto'; readonly signingKey: CryptoKeyPair }

/** A key, and whether it is that of an earlier visit, and will be that of the next one. */
interface Opened extends Pick<KeyInfo, 'wasKept' | 'isKept'> {
  readonly key: KeptKey
}

/** The kept key, or a new one where there is none yet. */
export async function openKey(): Promise<Opened> {
  const key = await recall<KeptKey>(NAME)
  return key ? { key, wasKept: true, isKept: true } : makeKey('core')
}

/** A new key in place of the kept one. Where nothing can be kept (private windows), it lasts as long as the page. */
export async function makeKey(kind: KeyKind): Promise<Opened> {
  const key = kind === 'core' ? coreKey() : await webCryptoKey()
  return { key, wasKept: false, isKept: await keep(NAME, key) }
}

function coreKey(): KeptKey {
  return { kind: 'core', signingKey: generateKey().signingKey }
}

async function webCryptoKey(): Promise<KeptKey> {
  const signingKey = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  return { kind: 'webcrypto', signingKey: signingKey as CryptoKeyPair }
}

/** The public half, 32 bytes. */
export async function publicKeyOf({ kind, signingKey }: KeptKey): Promise<Uint8Array> {
  if (kind === 'core') return signingKey.slice(32)
  return new Uint8Array(await crypto.subtle.exportKey('raw', signingKey.publicKey))
}

/** Signs with the key, wherever it lives. */
export function signerOf(key: KeptKey): (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array> {
  if (key.kind === 'core') return (bytes) => signBytes(key.signingKey, bytes)
  const { privateKey } = key.signingKey
  return async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, bytes))
}

export async function infoOf({ key, wasKept, isKept }: Opened): Promise<KeyInfo> {
  const publicKey = await publicKeyOf(key)
  return {
    kind: key.kind,
    keyId: keyIdOf(publicKey),
    publicKey: toHex(publicKey),
    wasKept,
    isKept,
    canUseWebCrypto: await canUseWebCrypto(),
  }
}

/** Ed25519 came late to WebCrypto, and only secure contexts have WebCrypto at all. */
async function canUseWebCrypto(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign'])
    return true
  } catch {
    return false
  }
}
