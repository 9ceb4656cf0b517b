// Makes sample data: a day of a small factory. Sensors, a service and a label printer sign annotations, some
// of which are not satisfied.

import { generateKey, identityBytes, Keyring, memory, openSdk, signBytes, toHex } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'

const HOUR = 3_600_000
/** Signers of readings. The last one stops after some hours. */
const SENSORS = ['press-1', 'press-2', 'oven-1', 'oven-2'].map((host) => ({ host, ...generateKey() }))
const SERVICE = { host: 'service-1', ...generateKey() }

const PRINTER = { host: 'label-1', ...generateKey() }

export const keyring = new Keyring([PRINTER, ...SENSORS, SERVICE].map(({ verifyingKey }) => verifyingKey))

/**
 * Makes messages: each hour, each sensor creates a reading, and the service cleans it. A report is made from
 * all cleaned readings of an hour.
 *
 * @param {number} now milliseconds since 1970
 * @returns {Promise<{ message: Uint8Array, receivedAt: number }[]>}
 */
export async function sampleMessages(now) {
  const messages = []
  const service = await station(SERVICE)
  const stations = await Promise.all(SENSORS.map(station))
  for (let hour = 23; hour >= 0; hour--) {
    // Start three minutes early, because processing a reading takes minutes.
    const at = now - hour * HOUR - 180_000
    const report = bytes(`report of ${new Date(at).toISOString().slice(0, 13)}`)
    for (const [place, sensor] of stations.entries()) {
      if (place === 3 && hour < 9) continue
      // Let the certificate of one sensor expire, and move another sensor to the hot hall.
      const [tls, range] = [!(place === 1 && hour < 14), !(place === 2 && hour % 5 === 0)]
      const raw = bytes(
        `{"host":"${SENSORS[place]?.host}","hour":${23 - hour},"celsius":${60 + place + hour / 10}}`,
      )
      const clean = bytes(`clean ${new TextDecoder().decode(raw)}`)
      messages.push(await sensor.says(at, { tls, range }, raw))
      messages.push(await service.says(at + 60_000, { tls: true, range }, clean, raw))
      messages.push(await service.says(at + 120_000, { tls: true, range: true }, report, clean))
    }
  }
  const stranger = await station({ host: 'press-3', ...generateKey() })
  messages.push(await stranger.says(now, { tls: true, range: true }, bytes('from a key that nobody knows')))
  messages.push(...(await labels(now - 200_000)))
  return messages.sort((a, b) => a.receivedAt - b.receivedAt)
}

/**
 * Makes the messages of a label printer, with checkpoints, and loses one message.
 *
 * @param {number} receivedAt milliseconds since 1970
 */
async function labels(receivedAt) {
  const [stream, notes] = [memory(), memory()]
  const annotators = [{ kind: 'tls', isSatisfied: () => true }]
  const own = checkpoints({ stream: notes })
  const { host, signingKey } = PRINTER
  const sdk = await openSdk({ host, signingKey, annotators, stream, checkpoints: own })
  for (let at = 1; at <= 8; at++) await sdk.create(bytes(`label ${at}`))
  await sdk.close()
  return [...stream.messages.toSpliced(2, 1), ...notes.messages].map((message) => ({ message, receivedAt }))
}

/** @param {string} text */
const bytes = (text) => new TextEncoder().encode(text)

/** @param {{ host: string, signingKey: Uint8Array }} signer */
async function station({ host, signingKey }) {
  const answers = { tls: true, range: true }
  const annotators = Object.keys(answers).map((kind) => ({ kind, isSatisfied: () => answers[kind] }))
  const stream = memory()
  const sdk = await openSdk({ signingKey, host, annotators, stream })
  return {
    /**
     * Signs a bundle about a payload, with the timestamp `at`.
     *
     * @param {number} at milliseconds since 1970
     * @param {typeof answers} given
     * @param {Uint8Array} payload
     * @param {Uint8Array} [from] original that the payload was made from
     */
    async says(at, given, payload, from) {
      Object.assign(answers, given)
      const { message } = await (from ? sdk.mutate(from, payload) : sdk.create(payload))
      return { message: signedAt(message, new Date(at), signingKey), receivedAt: at + 200 }
    },
  }
}

/** @param {Uint8Array} message @param {Date} time @param {Uint8Array} signingKey */
function signedAt(message, time, signingKey) {
  const copy = JSON.parse(new TextDecoder().decode(message))
  copy.content.timestamp = time.toISOString().replace('Z', '000Z')
  copy.content.signature = toHex(signBytes(signingKey, identityBytes(bytes(JSON.stringify(copy)))))
  return bytes(JSON.stringify(copy))
}
