import { readFileSync } from 'node:fs'
import type { Bundle } from 'alvarium-sdk'
import { fromHex } from './bytes.js'

const folder = new URL('../vectors/', import.meta.url)

/** Bytes of a file in tests/vectors. */
export function vectorBytes(name: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(name, folder)))
}

/** A JSON file in tests/vectors, of the shape that its reader knows. */
function vectorJson<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Shape
}

export interface Rfc8032Vector {
  readonly name: string
  readonly seed: string
  readonly publicKey: string
  readonly message: string
  readonly signature: string
}

export interface WycheproofGroup {
  readonly publicKey: string
  readonly publicKeyDer: string
  readonly publicKeyPem: string
  readonly publicKeyJwk: JsonWebKey
  readonly tests: readonly {
    readonly tcId: number
    readonly comment: string
    readonly message: string
    readonly signature: string
    readonly result: 'valid' | 'invalid' | 'acceptable'
  }[]
}

interface HashVector {
  readonly name: string
  readonly message?: string
  readonly repeat?: { readonly byte: string; readonly count: number }
}

export interface GoldenCase {
  readonly name: string
  readonly payload: string
  readonly previousPayload?: string
  readonly bundle: Bundle
  readonly identity: string
  readonly signature: string
  readonly message: string
}

export interface Golden {
  readonly seed: string
  readonly publicKey: string
  readonly keyId: string
  readonly cases: readonly GoldenCase[]
}

export const golden = () => vectorJson<Golden>('bundle-1.json')
export const rfc8032 = () => vectorJson<Rfc8032Vector[]>('rfc8032.json')
export const wycheproof = () =>
  vectorJson<{ numberOfTests: number; groups: WycheproofGroup[] }>('wycheproof-ed25519.json')
export const fips180 = () => vectorJson<(HashVector & { sha256: string })[]>('fips180-4.json')
export const rfc1321 = () => vectorJson<(HashVector & { md5: string })[]>('rfc1321.json')

/** The message of a hash vector. */
export function messageOf({ message, repeat }: HashVector): Uint8Array {
  if (repeat) return new Uint8Array(repeat.count).fill(Number.parseInt(repeat.byte, 16))
  return fromHex(message ?? '')
}
