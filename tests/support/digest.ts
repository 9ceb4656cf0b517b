import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from 'alvarium-sdk'

/** Returns a hash as bundles write it, by an implementation outside the package. */
export const digest = (hash: 'sha256' | 'md5', bytes: Uint8Array): string =>
  toHex(hash === 'md5' ? md5(bytes) : sha256(bytes)).toUpperCase()
