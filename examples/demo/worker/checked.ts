import type { Trust } from 'alvarium-sdk/trust'
import type { Inspection } from '../inspection.ts'
import type { Keyring } from './sdk.ts'

export interface By {
  readonly keyring: Keyring | Trust
  readonly leases?: readonly Uint8Array[]
}

/** Outcome of the checks, without the encoding of the message. */
export type CheckResult = Omit<Inspection, 'kind' | 'encoding'> & Partial<Pick<Inspection, 'kind'>>
