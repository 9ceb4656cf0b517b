import type { Duplex } from 'node:stream'
import type { Missing, Transport } from './transport.js'

/**
 * Options of WebSockets: no compression, which cannot shorten hashes. A sender waits while 256 KiB are
 * unsent.
 */
const WEBSOCKET = { perMessageDeflate: false, writableHighWaterMark: 256 * 1024 }

export async function transportOf(missing: Missing): Promise<Transport> {
  return {
    mqtt: await mqttPackage(missing),
    // Select Node's timer: in a test with jsdom or happy-dom, mqtt.js would assume a browser, and ping by a Worker.
    settings: { wsOptions: WEBSOCKET, timerVariant: 'native' },
    joinFrames,
  }
}

async function mqttPackage(missing: Missing): Promise<Transport['mqtt']> {
  try {
    return (await import('mqtt')).default
  } catch (cause) {
    throw missing('mqtt', cause)
  }
}

/** Length in bytes from which a frame gets no further chunks. */
const FRAME_BYTES = 64 * 1024

/**
 * Changes the stream of a WebSocket to join chunks that are written together. A frame ends with the chunk
 * that brings it to 64 KiB, or with the last chunk. mqtt.js writes every PUBLISH as six chunks, and writing
 * six frames takes 80 % of the time. MQTT allows packets to share and to span frames (MQTT 5, section 6).
 */
function joinFrames(stream: Duplex): void {
  const write = stream._write
  stream._write = (chunk, encoding, callback) => {
    try {
      write.call(stream, chunk, encoding, callback)
    } catch (cause) {
      callback(new Error(BROKEN_BUNDLE, { cause }))
    }
  }
  stream._writev = (chunks, callback) => {
    const frames = framesOf(chunks)
    for (const [at, frame] of frames.entries())
      stream._write(frame, 'binary', at === frames.length - 1 ? callback : () => {})
  }
}

function framesOf(chunks: readonly { readonly chunk: Uint8Array | string }[]): Buffer[] {
  const frames: Uint8Array[][] = []
  let length = FRAME_BYTES
  for (const { chunk } of chunks) {
    if (length >= FRAME_BYTES) {
      frames.push([])
      length = 0
    }
    // Convert strings, because in a test with jsdom mqtt.js uses its stream for browsers, which keeps strings.
    frames.at(-1)?.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    length += chunk.length
  }
  return frames.map((frame) => Buffer.concat(frame))
}

/**
 * Error text for bundles for servers (Next.js with webpack) that replace an optional part of `ws` with an empty module.
 * Then `ws` throws at the first long frame, where no caller could catch the error.
 */
const BROKEN_BUNDLE =
  "the package ws, which this bundle breaks: do not bundle alvarium-sdk (Next.js: serverExternalPackages: ['alvarium-sdk'])"
