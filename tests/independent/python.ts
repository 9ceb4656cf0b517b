import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pythonWithCryptography } from '../running/python.mjs'

/** What the verifier is asked: bytes in base64. */
export interface Asked {
  readonly message: string
  readonly cbor: boolean
  readonly payload?: string
  readonly leases?: readonly string[]
  readonly checkpoint?: boolean
  /** Of keys by leases, which prove what lies in a log. */
  readonly checkpoints?: readonly string[]
  /** When it was received, and how many milliseconds it may be late. */
  readonly received?: string | undefined
  readonly late?: number
  /** Serials, and since when they are revoked. */
  readonly revoked?: Readonly<Record<string, string>>
  /** Key ids of issuers, and when their time ends. */
  readonly ends?: Readonly<Record<string, string>>
}

/** Witnesses that a question names. */
interface AskedWitnesses {
  readonly witnesses?: readonly string[]
  readonly quorum?: number
}

/** Question about completeness: everything in base64. */
export interface AskedReport {
  readonly report: AskedWitnesses & {
    readonly checkpoints: readonly string[]
    readonly messages: readonly string[]
    readonly tolerance: number
  }
}

/** What it is asked about a lease alone. */
export interface AskedLease {
  readonly lease: string
}

/** What it is asked about a proof of an input. */
export interface AskedInput {
  readonly message: string
  readonly input: true
  readonly payload?: string
}

/** What it is asked about a set, and about a proof or an update. */
export interface AskedSet {
  readonly set: string
  readonly proof?: string
  readonly says?: 'member' | 'absent'
  /** Of the payload, in base64. */
  readonly key?: string
  readonly salt?: string
  readonly after?: string
  readonly update?: string
}

/** Question about a manifest: its file and records, or its message and a proof. All in base64. */
export type AskedManifest =
  | { readonly manifest: string; readonly records?: readonly string[]; readonly salt?: string }
  | { readonly record_of: string; readonly proof: string; readonly key: string; readonly salt?: string }

/** What it is asked about a pack, in base64. */
export interface AskedPack extends AskedWitnesses {
  readonly pack: string
  /** Key ids of the signers who may confirm that nothing was left out. */
  readonly confirming?: readonly string[]
}

/** What it is asked about an entry of a store's log, by its id in hexadecimal. */
export interface AskedLogProof extends AskedWitnesses {
  readonly proof_of: string
  readonly text: string
  readonly vkey: string
}

/** Question about the notes of one log, with lines of witnesses. */
export interface AskedNotes extends AskedWitnesses {
  readonly notes: readonly string[]
  readonly vkey: string
}

/** A question about the record of a classic message, in base64. */
export interface AskedClassicRecord {
  readonly classic_record: string
}

/** What it is asked about the record of a pruning, in base64. */
export interface AskedPruning {
  readonly pruning: string
}

/** What it says: the bundles that verify, what the lease, the checkpoint or the set says, or why there is nothing. */
export type Verdict =
  | { readonly bundles: unknown[] }
  | { readonly lease: unknown }
  | { readonly checkpoint: unknown }
  | { readonly reports: readonly unknown[] }
  | { readonly set: unknown }
  | { readonly manifest: unknown }
  | { readonly input: unknown }
  | { readonly pack: unknown }
  | { readonly log: unknown }
  | { readonly witnessed: unknown }
  | { readonly pruning: unknown }
  | { readonly classic: unknown }
  | { readonly code: string }

let command: string | undefined
const verifier = fileURLToPath(new URL('verify.py', import.meta.url))

/** Asks the verifier in Python, in one process. @param keys in hex: 32 bytes of Ed25519, or SubjectPublicKeyInfo */
export async function verdictsOf(
  asked: readonly (
    | Asked
    | AskedReport
    | AskedLease
    | AskedSet
    | AskedManifest
    | AskedInput
    | AskedPack
    | AskedLogProof
    | AskedNotes
    | AskedPruning
    | AskedClassicRecord
  )[],
  keys: readonly string[],
): Promise<Verdict[]> {
  command ??= pythonWithCryptography()
  const python = spawn(command, ['-B', verifier, ...keys], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said: Uint8Array[] = []
  python.stdout.on('data', (bytes: Uint8Array) => said.push(bytes))
  python.stdin.end(asked.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const [code] = await once(python, 'close')
  if (code !== 0) throw new Error(`the verifier in Python ended with ${code}`)
  const lines = Buffer.concat(said).toString().trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Verdict)
}
