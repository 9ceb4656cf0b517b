import {
  type AnyAnnotator,
  generateKey,
  Keyring,
  type MemoryStream,
  memory,
  openSdk,
  type Sdk,
  type SdkOptions,
  type VerifiedBundle,
  verifyMessage,
} from 'alvarium-sdk'

/** The signer of most tests, and a keyring that trusts it alone. */
export const key = generateKey()
export const keyring = new Keyring([key.verifyingKey])

export interface Opened<Annotators extends readonly AnyAnnotator[]> {
  readonly sdk: Sdk<Annotators>
  readonly stream: MemoryStream
  /** Verifies the newest message. */
  verified(payload?: Uint8Array): Promise<VerifiedBundle>
}

/** Opens an SDK with these annotators, and defaults that a test can replace. */
export async function opened<const Annotators extends readonly AnyAnnotator[]>(
  annotators: Annotators,
  options: Partial<Omit<SdkOptions, 'annotators' | 'stream'>> = {},
): Promise<Opened<Annotators>> {
  const stream = memory()
  const sdk = await openSdk({ signingKey: key.signingKey, host: 'edge-7', ...options, stream, annotators })
  const verified = (payload?: Uint8Array) => verifyMessage(lastOf(stream), { keyring, payload })
  return { sdk, stream, verified }
}

export function lastOf({ messages }: MemoryStream): Uint8Array {
  const message = messages.at(-1)
  if (!message) throw new Error('expected a message, got none')
  return message
}

export const yes = <const Kind extends string>(kind: Kind) => ({ kind, isSatisfied: () => true })
