/** Signing key of the page, made here and stored in IndexedDB. The visitor can export it if the core holds it. */
import type { KeyInfo, KeyKind } from '../protocol.ts'
import { keep, recall } from './kept.ts'
import { generateKey, keyIdOf, signBytes, toHex } from './sdk.ts'

const NAME = 'alvarium-demo-signing-key'

/** Stored form of a key. IndexedDB can store a non-extractable CryptoKey. */
export type KeptKey =
  | { readonly kind: 'core'; readonly signingKey: Uint8Array }
  | { readonly kind: 'webcrypto'; readonly signingKey: CryptoKeyPair }

/** Key, from an earlier visit if `wasKept`, and stored for the next visit if `isKept`. */
interface Opened extends Pick<KeyInfo, 'wasKept' | 'isKept'> {
  readonly key: KeptKey
}

export async function openKey(): Promise<Opened> {
  const key = await recall<KeptKey>(NAME)
  return key ? { key, wasKept: true, isKept: true } : makeKey('core')
}

/** Makes a new key and replaces the stored one. In private windows, the key is lost with the page. */
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

export async function publicKeyOf({ kind, signingKey }: KeptKey): Promise<Uint8Array> {
  if (kind === 'core') return signingKey.slice(32)
  return new Uint8Array(await crypto.subtle.exportKey('raw', signingKey.publicKey))
}

/** Returns a function that signs with the key, in the core or in WebCrypto. */
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

/** Returns whether the browser supports Ed25519 in WebCrypto, which only secure contexts have. */
async function canUseWebCrypto(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign'])
    return true
  } catch {
    return false
  }
}
