import { identityBytes, signBytes, source, toHex } from 'alvarium-sdk'
import { textOf, utf8 } from './bytes.js'
import { key, opened, yes } from './sdk.js'

export interface LooseMessage {
  [member: string]: unknown
  content: { [member: string]: unknown; annotations: { [member: string]: unknown }[] }
}

export const payload = utf8('hello alvarium')
export const previousPayload = utf8('before')

/** Returns one genuine message of each action, by `key`, with two annotations: `src` true and `no` false. */
export async function genuineMessages() {
  const { sdk } = await opened([source(), { ...yes('no'), isSatisfied: () => false }], { tag: 'v1' })
  const [create, mutate, transit, publish] = await Promise.all([
    sdk.create(payload),
    sdk.mutate(previousPayload, payload),
    sdk.transit(payload),
    sdk.publish(payload),
  ])
  return {
    create: create.message,
    mutate: mutate.message,
    transit: transit.message,
    publish: publish.message,
  }
}

export const parsed = (message: Uint8Array): LooseMessage => JSON.parse(textOf(message))
export const written = (message: unknown): Uint8Array => utf8(JSON.stringify(message))

export function altered(message: Uint8Array, alter: (message: LooseMessage) => void): Uint8Array {
  const copy = parsed(message)
  alter(copy)
  return written(copy)
}

/** Returns the message with an alteration before it was signed. */
export function resigned(
  message: Uint8Array,
  alter: (message: LooseMessage) => void,
  signingKey = key.signingKey,
): Uint8Array {
  const other = altered(message, alter)
  return altered(other, ({ content }) => {
    content['signature'] = toHex(signBytes(signingKey, identityBytes(other)))
  })
}

/** Returns the message with a text in its JSON replaced; throws if the text is missing. */
export function replaced(message: Uint8Array, search: string | RegExp, by: string): Uint8Array {
  const before = textOf(message)
  const after = before.replace(search, () => by)
  if (after === before) throw new Error(`expected ${search} in ${before}`)
  return utf8(after)
}
