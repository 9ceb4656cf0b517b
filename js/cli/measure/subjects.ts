import {
  generateKey,
  type KeyPair,
  Keyring,
  memory,
  openSdk,
  type Sdk,
  source,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'

/** What is measured. */
export interface Subject {
  readonly what: string
  /** How often `once` does it. */
  readonly times: number
  once(): Promise<unknown>
}

const TOGETHER = 64
const SMALL = 100
const LARGE = 20_000

/** Calls with few and many annotators and bytes, and verifications alone and together. */
export async function subjects(): Promise<Subject[]> {
  const key = generateKey()
  const [one, five] = [await sdkWith(1, key), await sdkWith(5, key)]
  const keyring = new Keyring([key.verifyingKey])
  const messages = await messagesOf(key)
  const [message] = messages as [Uint8Array]
  const payload = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
  const [small, large] = [payload(SMALL), payload(LARGE)]
  return [
    { what: 'create, 100 bytes, 1 annotator', times: 1, once: () => one.create(small) },
    { what: 'create, 100 bytes, 5 annotators', times: 1, once: () => five.create(small) },
    { what: 'create, 20,000 bytes, 5 annotators', times: 1, once: () => five.create(large) },
    {
      what: 'create, 100 bytes, in batches of 256',
      times: 256,
      once: () => five.createMany(Array.from({ length: 256 }, () => small)),
    },
    { what: 'verify a message', times: 1, once: () => verifyMessage(message, { keyring }) },
    {
      what: `verify ${TOGETHER} messages together, each`,
      times: TOGETHER,
      once: () => verifyMessages(messages, { keyring }),
    },
  ]
}

/** Publishes nowhere. */
function sdkWith(annotators: number, { signingKey }: KeyPair): Promise<Sdk> {
  const kinds = Array.from({ length: annotators }, (_, at) => ({ ...source(), kind: `src-${at}` }))
  return openSdk({ signingKey, annotators: kinds, stream: { publish: () => undefined } })
}

async function messagesOf({ signingKey }: KeyPair): Promise<Uint8Array[]> {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  for (let at = 0; at < TOGETHER; at++) await sdk.create(Uint8Array.of(at))
  await sdk.close()
  return [...stream.messages]
}
