import type { Trust } from 'alvarium-sdk/trust'
import type { Inspection } from '../inspection.ts'
import type { Keyring } from './sdk.ts'

/** By what a message is verified. */
export interface By {
  readonly keyring: Keyring | Trust
  readonly leases?: readonly Uint8Array[]
}

/** What the checks of a message came to. */
export type Checked = Omit<Inspection, 'kind' | 'encoding'> & Partial<Pick<Inspection, 'kind'>>
