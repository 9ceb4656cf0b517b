// A fresh key for one run, in memory and as the key file that the original SDKs read again and again.

import { createPublicKey } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, toHex } from 'alvarium-sdk'
import { keyObject } from './baselines/keys.mjs'

/**
 * @template T
 * @param {(keys: import('./contenders.mjs').Keys) => Promise<T>} use
 */
export async function withKeys(use) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-bench-'))
  try {
    const { signingKey, verifyingKey } = generateKey()
    const keyFile = join(folder, 'private.key')
    await writeFile(keyFile, toHex(signingKey), { mode: 0o600 })
    return await use({ keyFile, signingKey, verifyingKey, publicKey: createPublicKey(keyObject(signingKey)) })
  } finally {
    await rm(folder, { recursive: true })
  }
}
