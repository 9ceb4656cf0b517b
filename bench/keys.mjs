// Makes a key pair for one run, in memory and as a key file, which `each` reads for every signature.

import { createPublicKey } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, toHex } from 'alvarium-sdk'
import { keyObject } from './baselines/keys.mjs'

/**
 * @typedef {object} Keys
 * @property {string} keyFile path of a `private.key`
 * @property {Uint8Array} signingKey contents of the key file, decoded
 * @property {Uint8Array} verifyingKey
 * @property {import('node:crypto').KeyObject} privateKey `signingKey` as a key object
 * @property {import('node:crypto').KeyObject} publicKey `verifyingKey` as a key object
 */

/**
 * @template T
 * @param {(keys: Keys) => Promise<T>} use
 */
export async function withKeys(use) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-bench-'))
  try {
    const { signingKey, verifyingKey } = generateKey()
    const keyFile = join(folder, 'private.key')
    await writeFile(keyFile, toHex(signingKey), { mode: 0o600 })
    const privateKey = keyObject(signingKey)
    const publicKey = createPublicKey(privateKey)
    return await use({ keyFile, signingKey, verifyingKey, privateKey, publicKey })
  } finally {
    await rm(folder, { recursive: true })
  }
}
