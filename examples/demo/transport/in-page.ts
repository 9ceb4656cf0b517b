/** Transport between workers of this page: a `BroadcastChannel`, with one acknowledgement per message. */
import { AlvariumError, verifyBatch } from '../worker/sdk.ts'
import { LONGEST_WAIT_MS, type OpenReceiver, type OpenSender } from './transport.ts'

/** Message with a number, or the acknowledgement of that number. */
type Parcel = { readonly number: string; readonly message: Uint8Array } | { readonly received: string }

interface Waiting {
  resolve(): void
  readonly timer: ReturnType<typeof setTimeout>
}

export const openSender: OpenSender = ({ topic }, onConnection) => {
  const channel = new BroadcastChannel(topic)
  const waiting = new Map<string, Waiting>()
  // Include a random id in the number, because tabs receive each other's acknowledgements.
  const self = crypto.getRandomValues(new Uint32Array(2)).join('-')
  let number = 0
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!isParcel(data) || !('received' in data)) return
    const one = waiting.get(data.received)
    waiting.delete(data.received)
    clearTimeout(one?.timer)
    one?.resolve()
  }
  onConnection({ state: 'online' })
  return {
    publish: (message) =>
      new Promise<void>((resolve, reject) => {
        const own = `${self} ${++number}`
        const timer = setTimeout(() => waiting.delete(own) && reject(late()), LONGEST_WAIT_MS)
        waiting.set(own, { resolve, timer })
        channel.postMessage({ number: own, message } satisfies Parcel)
      }),
  }
}

export const openReceiver: OpenReceiver = ({ topic }, keyring, heard) => {
  const channel = new BroadcastChannel(topic)
  channel.onmessage = async ({ data }: MessageEvent<unknown>) => {
    if (!isParcel(data) || !('message' in data)) return
    const { number, message } = data
    try {
      for (const bundle of await verifyBatch(message, { keyring })) heard.verified(bundle, message)
    } catch (error) {
      if (error instanceof Error) heard.rejected(error, message)
    }
    channel.postMessage({ received: number } satisfies Parcel)
  }
  heard.connection({ state: 'online' })
}

/** Returns whether data is a parcel. Other pages of this origin can send anything on this channel. */
function isParcel(data: unknown): data is Parcel {
  if (typeof data !== 'object' || data === null) return false
  if ('received' in data) return typeof data.received === 'string'
  return 'message' in data && data.message instanceof Uint8Array && 'number' in data
}

function late(): AlvariumError {
  return new AlvariumError(
    'STREAM_TIMEOUT',
    `in-page: expected an answer within ${LONGEST_WAIT_MS} ms, got none`,
  )
}
