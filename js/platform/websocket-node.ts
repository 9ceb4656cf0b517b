import * as ws from 'ws'
import WebSocket, { type ClientOptions } from 'ws'

const FRAME_BYTES = 64 * 1024
const BUFFERED_BYTES = 256 * 1024

type OnSent = (error?: Error) => void

/**
 * A `ws` socket that joins what is sent within one turn of the event loop into one frame. mqtt.js writes
 * every PUBLISH as six chunks; as six frames of their own, writing them takes 80 % of the time. MQTT allows
 * packets to share and to span frames (MQTT 5, section 6).
 *
 * A chunk counts as sent when it is kept here, unless the socket is behind: then the last chunk waits until
 * the frame is written, which is how a broker that reads slowly slows the sender.
 */
class JoiningWebSocket extends WebSocket {
  #chunks: Uint8Array[] = []
  #bytes = 0

  override send(data: Uint8Array, options?: unknown, sent?: OnSent): void {
    const done = (typeof options === 'function' ? options : sent) as OnSent | undefined
    if (this.#bytes === 0) setImmediate(() => this.#flush())
    this.#chunks.push(data)
    this.#bytes += data.length
    if (this.#bytes >= FRAME_BYTES || this.bufferedAmount > BUFFERED_BYTES) this.#flush(done)
    else done?.()
  }

  /** What is kept has to go out before the closing frame: the last of it is MQTT's DISCONNECT. */
  override close(code?: number, reason?: string | Buffer): void {
    if (this.readyState === WebSocket.OPEN) this.#flush()
    super.close(code, reason)
  }

  #flush(done?: OnSent): void {
    if (this.#chunks.length === 0) return
    const frame = Buffer.concat(this.#chunks, this.#bytes)
    this.#chunks = []
    this.#bytes = 0
    // After a drop `ws` hands its error to the callback; the socket's own 'close' tells everyone else.
    super.send(frame, { binary: true }, done ?? (() => {}))
  }
}

/** What `ws` makes its frames with, which its types leave out, and of which Bun's own `ws` has the name alone. */
const { Sender } = ws as unknown as {
  Sender: { frame?(data: Buffer, options: object): Buffer[] }
}

/**
 * Some bundles for servers (Next.js with webpack) have an empty module for a part of `ws` that is optional. It would fail at
 * the first frame of some length, where nobody could catch it.
 */
function assertWhole(): void {
  try {
    Sender.frame?.(Buffer.alloc(FRAME_BYTES), { fin: true, opcode: 2, mask: true })
  } catch (cause) {
    const text =
      "the package ws, which this bundle breaks: do not bundle alvarium-sdk (Next.js: serverExternalPackages: ['alvarium-sdk'])"
    throw new Error(text, { cause })
  }
}

/** mqtt.js' `createWebsocket`. Compression is off: signatures and hashes do not compress. */
export function createWebsocket(
  url: string,
  protocols: string[],
  { wsOptions }: { wsOptions?: object },
): WebSocket {
  assertWhole()
  const options: ClientOptions = { ...wsOptions, perMessageDeflate: false }
  return new JoiningWebSocket(url, protocols, options)
}
