import { readKey, toHex } from 'alvarium-sdk/verify'
import { ecKeyIn } from '../../signing/keys/ec/public-key.js'
import { keyBytes } from '../../signing/keys/forms/key-bytes.js'
import { withPublicKey } from '../../signing/keys/verifying.js'
import { inFile } from '../fault.js'
import { pem } from '../keys/pem.js'

/**
 * Reads a public key file and returns the key as trust policies contain it: Ed25519 keys in hexadecimal, all
 * others in PEM.
 */
export async function keyTextIn(path: string): Promise<string> {
  try {
    const bytes = keyBytes(await readKey(path), 'verifyingKey')
    return ecKeyIn(bytes) ? pem('PUBLIC KEY', bytes) : withPublicKey(bytes, (key) => toHex(key.toBytes()))
  } catch (error) {
    throw inFile('--key', path, error)
  }
}
