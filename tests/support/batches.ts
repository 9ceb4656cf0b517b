import { openSdk, type SdkOptions, source } from 'alvarium-sdk'
import { utf8 } from './bytes.js'
import { digest } from './digest.js'
import { key } from './sdk.js'

export const payloads = (count: number) => Array.from({ length: count }, (_, at) => utf8(`payload ${at}`))
export const keyOfPayload = (payload: Uint8Array) => digest('sha256', payload)
/** An hour: only the other limits, or closing, end a batch. */
export const patient = { maxDelayMs: 3_600_000 }

/** With a stream that accepts whatever it is given. */
export async function openWith(options: Partial<SdkOptions>) {
  return openSdk({ signingKey: key.signingKey, annotators: [source()], stream: { publish() {} }, ...options })
}
