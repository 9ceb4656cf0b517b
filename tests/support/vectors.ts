import type { Action, Bundle, ClassicAnnotation, ClassicDialect } from 'alvarium-sdk'
import type { Lease } from 'alvarium-sdk/trust'
import { fromHex, utf8 } from './bytes.js'

/** Texts of all vectors. Vite inlines them, for Node and for browsers, which have no files. */
const files = import.meta.glob<string>('../vectors/**/*.{json,key}', {
  query: '?raw',
  import: 'default',
  eager: true,
})

function vectorText(name: string): string {
  const text = files[`../vectors/${name}`]
  if (text === undefined) throw new Error(`expected ${name} in tests/vectors`)
  return text
}

export const vectorBytes = (name: string): Uint8Array => utf8(vectorText(name))

/** Returns a JSON file in tests/vectors, in the shape that its caller knows. */
const vectorJson = <Shape>(name: string): Shape => JSON.parse(vectorText(name)) as Shape

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

interface SpeccheckVector {
  readonly publicKey: string
  readonly message: string
  readonly signature: string
  readonly isKey: boolean
}

export interface CctvVector {
  readonly key: string
  readonly sig: string
  /** The message: bytes of this text in UTF-8. */
  readonly msg: string
  /** The edge cases that it exercises, as CCTV's README names them. */
  readonly flags: readonly string[]
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
  readonly id: string
  readonly signature: string
  readonly message: string
}

export interface Golden {
  readonly seed: string
  readonly publicKey: string
  readonly keyId: string
  readonly cases: readonly GoldenCase[]
}

export interface GoldenInputs {
  readonly publicKey: string
  readonly cases: readonly {
    readonly name: string
    readonly payload: string
    readonly bundle: Bundle
    readonly identity: string
    readonly root: string
    readonly id: string
    readonly message: string
    readonly proofs: readonly { readonly index: number; readonly proof: string }[]
  }[]
}

export interface GoldenBatches {
  readonly publicKey: string
  readonly cases: readonly {
    readonly name: string
    readonly message: string
    readonly ids: readonly string[]
    readonly extracted: readonly string[]
  }[]
}

export interface GoldenLeases extends Omit<Golden, 'cases'> {
  readonly subjectSeed: string
  readonly subjectId: string
  /** A bundle that the subject signed. */
  readonly leased: string
  readonly cases: readonly {
    readonly lease: Omit<Lease, 'keyId'>
    readonly identity: string
    readonly message: string
  }[]
}

export interface GoldenCheckpoints {
  readonly publicKey: string
  readonly seed: string
  /** Key in the form of Go's `note`. */
  readonly vkey: string
  readonly leaves: readonly string[]
  readonly roots: readonly string[]
  readonly cases: readonly { readonly text: string; readonly note: string; readonly message: string }[]
}

export interface GoldenSets {
  readonly publicKey: string
  readonly seed: string
  readonly keyId: string
  readonly cases: readonly {
    readonly name: string
    readonly payloads: readonly string[]
    readonly saltBytes?: string
    readonly message: string
    readonly identity: string
    readonly id: string
    /** All entries, joined. */
    readonly list: string
    readonly proofs: readonly {
      readonly payload: string
      readonly says: 'member' | 'absent'
      readonly proof: string
    }[]
  }[]
}

interface GoldenCborBatches {
  readonly publicKey: string
  readonly cases: readonly {
    readonly name: string
    readonly message: string
    readonly cbor: string
    readonly identity: string
    readonly ids: readonly string[]
  }[]
}

export interface GoldenManifests {
  readonly publicKey: string
  readonly seed: string
  readonly keyId: string
  readonly cases: readonly {
    readonly name: string
    readonly records: readonly string[]
    readonly saltBytes?: string
    readonly message: string
    readonly identity: string
    readonly id: string
    /** The message, a line feed and all entries. */
    readonly file: string
    readonly proofs: readonly string[]
  }[]
}

/** Leases of which one states a log, and the signed messages of their subject. */
interface GoldenLeaseLogs {
  readonly publicKey: string
  readonly leases: readonly string[]
  readonly checkpoints: readonly string[]
  readonly messages: readonly { readonly message: string; readonly isStated: boolean }[]
}

/** A message that one of the other SDKs published, and its content. */
export interface ClassicCase {
  readonly name: string
  readonly action: Action
  readonly messageType: string
  readonly payload: Uint8Array
  readonly previousPayload?: Uint8Array
  readonly annotations: readonly Pick<ClassicAnnotation, 'kind' | 'isSatisfied' | 'key' | 'hash'>[]
  readonly message: string
}

export const golden = () => vectorJson<Golden>('bundle-1.json')
export const goldenInputs = () => vectorJson<GoldenInputs>('bundle-2.json')
export const goldenLeases = () => vectorJson<GoldenLeases>('lease-1.json')
export const goldenLeaseLogs = () => vectorJson<GoldenLeaseLogs>('lease-log-1.json')
export const goldenBatches = () => vectorJson<GoldenBatches>('batch-1.json')
export const goldenCborBatches = () => vectorJson<GoldenCborBatches>('batch-cbor-1.json')
export const goldenSets = () => vectorJson<GoldenSets>('set-1.json')
export const goldenManifests = () => vectorJson<GoldenManifests>('manifest-1.json')
export const goldenCheckpoints = () => vectorJson<GoldenCheckpoints>('checkpoint-1.json')
export const rfc8032 = () => vectorJson<Rfc8032Vector[]>('rfc8032.json')
export const wycheproof = () =>
  vectorJson<{ numberOfTests: number; groups: WycheproofGroup[] }>('wycheproof-ed25519.json')
export const speccheck = () => vectorJson<SpeccheckVector[]>('speccheck-ed25519.json')
export const cctv = () => vectorJson<CctvVector[]>('cctv-ed25519.json')
export const fips180 = () => vectorJson<(HashVector & { sha256: string })[]>('fips180-4.json')
export const rfc1321 = () => vectorJson<(HashVector & { md5: string })[]>('rfc1321.json')

export function classicCases(dialect: ClassicDialect): ClassicCase[] {
  type InFile = Omit<ClassicCase, 'payload' | 'previousPayload'> & {
    payload: string
    previousPayload?: string
  }
  const file = `classic/${dialect}.json`
  const { payloads, messages } = vectorJson<{ payloads: Record<string, string>; messages: InFile[] }>(file)
  const bytes = (name: string) => fromHex(payloads[name] ?? '')
  return messages.map(({ payload, previousPayload, ...rest }) => ({
    ...rest,
    payload: bytes(payload),
    ...(previousPayload !== undefined && { previousPayload: bytes(previousPayload) }),
  }))
}

export function messageOf({ message, repeat }: HashVector): Uint8Array {
  if (repeat) return new Uint8Array(repeat.count).fill(Number.parseInt(repeat.byte, 16))
  return fromHex(message ?? '')
}

export interface SignedByPeer {
  readonly sdk: 'go' | 'java' | 'python'
  readonly url: string
  readonly signatureInput: string
  readonly signature: string
  readonly seed: string
}

export const signedByPeers = () =>
  vectorJson<{
    method: string
    headers: Record<string, string[]>
    seedOfKey: string
    requests: SignedByPeer[]
  }>('pki-http/requests.json')

interface RequestInFile {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string | string[]>
}

export const rfc9421 = () =>
  vectorJson<{
    key: JsonWebKey
    request: RequestInFile
    body: string
    created: number
    bases: { name: string; components: string[]; keyId: string; tag?: string; base: string }[]
    signed: {
      name: string
      label: string
      request?: RequestInFile
      components: string[]
      input: string
      signature: string
    }[]
    components: [name: string, component: string, headers: Record<string, string | string[]>, line: string][]
    targets: [name: string, component: string, url: string, value: string][]
    digests: [body: string, algorithm: 'sha-256' | 'sha-512', header: string][]
    p256: JsonWebKey
    responses: {
      name: string
      status: number
      headers: Record<string, string>
      body: string
      /** True if `request` is signed, too. */
      isBound: boolean
      base: string
    }[]
  }>('rfc9421.json')
