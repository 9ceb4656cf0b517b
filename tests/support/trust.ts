import {
  memory,
  openSdk,
  type SdkOptions,
  source,
  toHex,
  type VerifiedBundle,
  verifyMessage,
} from 'alvarium-sdk'
import { type Policy, type PolicySigner, readTrust, type Trust } from 'alvarium-sdk/trust'
import { utf8 } from './bytes.js'
import { parsed, resigned } from './messages.js'
import { key, lastOf } from './sdk.js'

export const keyText = toHex(key.verifyingKey)

export const policyOf = (rules: Partial<PolicySigner> = {}): Policy => ({
  signers: [{ name: 'gateway-1', keys: [keyText], ...rules }],
})

export const trustOf = (rules: Partial<PolicySigner> = {}): Promise<Trust> => readTrust(policyOf(rules))

/** Returns a message of the signer of most tests, from host `edge-7`, of kind `src` with tag `v1`. */
export async function messageFrom(options: Partial<SdkOptions> = {}): Promise<Uint8Array> {
  const stream = memory()
  const { signingKey } = key
  const sdk = await openSdk({
    host: 'edge-7',
    tag: 'v1',
    signingKey,
    annotators: [source()],
    ...options,
    stream,
  })
  await sdk.create(utf8('hello alvarium'))
  await sdk.close()
  return lastOf(stream)
}

export async function messageAt(timestamp: string, options: Partial<SdkOptions> = {}): Promise<Uint8Array> {
  return resigned(await messageFrom(options), ({ content }) => {
    content['timestamp'] = timestamp
  })
}

export const timestampOf = (message: Uint8Array) => Date.parse(String(parsed(message).content['timestamp']))

/** Returns the name of the signer, or the code of the refusal. */
export async function told(
  message: Uint8Array,
  keyring: Trust,
  receivedAt?: number | Date,
): Promise<string | undefined> {
  const verified: Promise<VerifiedBundle> = verifyMessage(message, { keyring, receivedAt })
  return verified.then(
    ({ signedBy }) => signedBy?.name,
    ({ code }) => code,
  )
}
