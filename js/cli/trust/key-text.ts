import { readKey, toHex } from 'alvarium-sdk/verify'
import { AlvariumError } from '../../base/errors.js'
import { ecKeyIn } from '../../keys/ec-public.js'
import { keyBytes } from '../../keys/forms.js'
import { withPublicKey } from '../../keys/verifying.js'
import { named } from '../fault.js'

/**
 * A public key out of its file, as a policy has it: hexadecimal digits of Ed25519, PEM of others.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export async function keyTextIn(path: string): Promise<string> {
  try {
    const bytes = keyBytes(await readKey(path), 'verifyingKey')
    return ecKeyIn(bytes) ? pemOf(bytes) : withPublicKey(bytes, (key) => toHex(key.toBytes()))
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    throw new AlvariumError(error.code, `--key ${named(path)}: ${error.message}`, { cause: error })
  }
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n')
}
