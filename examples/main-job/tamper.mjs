/** Tries the attacks of someone between publisher and verifier, and collects the results. */
import { AlvariumError, verifyMessage } from 'alvarium-sdk'

/**
 * @typedef {object} Attempt
 * @property {string} what alteration of the message
 * @property {string} where place where it was detected
 * @property {string} expected expected error code
 * @property {import('./verifier-process.mjs').Rejection | undefined} rejection
 */

/**
 * @param {import('./job.mjs').Job} job
 * @param {AbortSignal} signal
 * @returns {Promise<Attempt[]>}
 */
export async function tamper(job, signal) {
  const { payload, receipt } = job.tally.first
  const message = new TextDecoder().decode(receipt.message)
  const answer = message.replace('"isSatisfied":false', '"isSatisfied":true')
  const digit = message.replace(/(?<="signature":")./, (first) => (first === '0' ? '1' : '0'))
  return [
    {
      what: 'an answer in the message, false made true',
      where: `the verifier, process ${job.verifier.pid}`,
      expected: 'SIGNATURE_INVALID',
      rejection: await send(answer, job, signal),
    },
    {
      what: 'one digit of its signature',
      where: `the verifier, process ${job.verifier.pid}`,
      expected: 'SIGNATURE_INVALID',
      rejection: await send(digit, job, signal),
    },
    {
      what: 'one bit of the payload, the message left alone',
      where: 'whoever holds both',
      expected: 'PAYLOAD_MISMATCH',
      rejection: await check(receipt.message, flipped(payload), job.verifyingKey),
    },
  ]
}

/**
 * Publishes a message through the job's stream. Returns the verifier's last rejection.
 *
 * @param {string} message
 * @param {import('./job.mjs').Job} job
 * @param {AbortSignal} signal
 */
async function send(message, { stream, verifier }, signal) {
  const { messages } = verifier
  await stream.publish(new TextEncoder().encode(message))
  await verifier.counted(messages + 1, signal)
  return verifier.rejections.at(-1)
}

/** @param {Uint8Array} message @param {Uint8Array} payload @param {Uint8Array} verifyingKey */
async function check(message, payload, verifyingKey) {
  try {
    await verifyMessage(message, { keyring: [verifyingKey], payload })
    return undefined
  } catch (error) {
    if (error instanceof AlvariumError) return error
    throw error
  }
}

/** @param {Uint8Array} payload */
function flipped(payload) {
  const copy = new Uint8Array(payload)
  copy[0] ^= 1
  return copy
}
