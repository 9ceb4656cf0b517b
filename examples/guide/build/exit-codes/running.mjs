// Runs commands in this process, as a shell would.

import { PassThrough, Readable } from 'node:stream'
import { mqtt } from 'alvarium-sdk'
import { command } from '../../../../dist/cli/command.js'

/**
 * Runs a command line, with words that contain no spaces.
 *
 * @param {string} line
 * @param {{ onOut?: (text: string) => void, signal?: AbortSignal }} how
 * @returns {Promise<number>} the exit code
 */
export async function exitCode(line, { onOut = () => {}, signal = new AbortController().signal } = {}) {
  const streams = { stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() }
  for (const stream of [streams.stdout, streams.stderr]) stream.on('data', (piece) => onOut(String(piece)))
  return command(line.split(' '), streams, signal)
}

/**
 * Runs a command that ends with Ctrl-C. Stops it as soon as its output matches `ready`.
 *
 * @param {string} line
 * @param {RegExp} ready
 */
export function untilReady(line, ready) {
  const stop = new AbortController()
  const onOut = (/** @type {string} */ text) => ready.test(text) && stop.abort()
  return exitCode(line, { onOut, signal: stop.signal })
}

/** Starts a broker in memory, as `alvarium broker` does. */
export async function startBroker() {
  const stop = new AbortController()
  /** @type {Promise<number>} */
  let running = Promise.resolve(0)
  const url = await new Promise((resolve) => {
    const onOut = (/** @type {string} */ text) => {
      const [found] = /ws:\/\/[\w.:]+/.exec(text) ?? []
      if (found) resolve(found)
    }
    running = exitCode('broker -p 0 --tcp-port 0', { onOut, signal: stop.signal })
  })
  return {
    url: String(url),
    stop: () => {
      stop.abort()
      return running
    },
  }
}

/**
 * Runs a command that listens to a topic, and publishes messages to the topic.
 *
 * @param {string} line
 * @param {string} url
 * @param {readonly Uint8Array[]} messages
 */
export async function whilePublished(line, url, messages) {
  /** @type {Promise<number>} */
  let running = Promise.resolve(0)
  await new Promise((resolve) => {
    running = exitCode(line, { onOut: (text) => text.includes('listening to') && resolve(undefined) })
    running.then(resolve)
  })
  const stream = mqtt({ url, topic: 'readings' })
  await stream.connect()
  for (const message of messages) await stream.publish(message)
  const code = await running
  await stream.close()
  return code
}
