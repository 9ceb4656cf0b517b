import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pythonWithCryptography } from '../running/python.mjs'

/** A question to the verifier: bytes in base64. */
export interface Asked {
  readonly message: string
  readonly cbor: boolean
  readonly payload?: string
  readonly leases?: readonly string[]
  readonly checkpoint?: boolean
  /** Checkpoints of keys with leases, which prove the content of a log. */
  readonly checkpoints?: readonly string[]
  /** The time of receipt, and the tolerated lateness in milliseconds. */
  readonly received?: string | undefined
  readonly late?: number
  /** The time of each lease's revocation, by serial. */
  readonly revoked?: Readonly<Record<string, string>>
  /** The end of each issuer's time, by its key id. */
  readonly ends?: Readonly<Record<string, string>>
}

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

export interface AskedLease {
  readonly lease: string
}

/** A question about a proof of an input. */
export interface AskedInput {
  readonly message: string
  readonly input: true
  readonly payload?: string
}

/** A question about a set, and about a proof or an update. */
export interface AskedSet {
  readonly set: string
  readonly proof?: string
  readonly says?: 'member' | 'absent'
  /** The payload's key, in base64. */
  readonly key?: string
  readonly salt?: string
  readonly after?: string
  readonly update?: string
}

/** Question about a manifest: its file and records, or its message and a proof. All in base64. */
export type AskedManifest =
  | { readonly manifest: string; readonly records?: readonly string[]; readonly salt?: string }
  | { readonly record_of: string; readonly proof: string; readonly key: string; readonly salt?: string }

/** A question about a pack, in base64. */
export interface AskedPack extends AskedWitnesses {
  readonly pack: string
  /** Key ids of the signers that may confirm completeness. */
  readonly confirming?: readonly string[]
}

/** A question about an entry of a store's log, by its id in hexadecimal. */
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

/** A question about the record of a pruning, in base64. */
export interface AskedPruning {
  readonly pruning: string
}

/** The verifier's verdict: the verified bundles, the content of the lease, the checkpoint or the set, or a code. */
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

/**
 * Returns the verdicts of the verifier in Python, from one process.
 *
 * @param keys in hex: 32 bytes of Ed25519, or SubjectPublicKeyInfo
 */
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
