// Node's large modules are asked for when they are needed. An `import` takes longer, for all that they have: node:fs reads its streams for it,
// node:crypto its ciphers. Together that was more than a third of what `import 'alvarium-sdk'` takes. Bun compiles all of them anew.

import { sha256Of } from './node-sha256.js'
import type { Channel, MqttTransport, Platform } from './platform.js'

let sha256: Platform['hostSha256']

export const hostSha256: Platform['hostSha256'] = (payload) => {
  sha256 ??= sha256Of(process.getBuiltinModule('node:crypto'), { Buffer })
  return sha256(payload)
}

export const hostHasher: Platform['hostHasher'] = () =>
  process.getBuiltinModule('node:crypto').createHash('sha256')

export const hostName: Platform['hostName'] = () => process.getBuiltinModule('node:os').hostname()

export const machineName: Platform['machineName'] = hostName

export const tagVariable: Platform['tagVariable'] = () => process.env['TAG']

/** A device may have no end. */
const LONGEST_FILE = 65_536

/** Node's own would leave pieces of it behind, in memory that nobody can reach (see js/keys/secret.ts). */
export const readFile: Platform['readFile'] = async (path) => {
  const file = await process.getBuiltinModule('node:fs/promises').open(path)
  const memory = new Uint8Array(new ArrayBuffer(LONGEST_FILE + 1))
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < memory.length; length += read) {
      read = (await file.read(memory, length)).bytesRead
    }
    if (length > LONGEST_FILE) throw new Error(`a file of more than ${LONGEST_FILE} bytes`)
    return new Uint8Array(memory.buffer.slice(0, length))
  } finally {
    memory.fill(0)
    await file.close()
  }
}

export const isDeviceOrSocket: Platform['isDeviceOrSocket'] = (path) => {
  const found = process.getBuiltinModule('node:fs').statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.isCharacterDevice() || found.isSocket())
}

export const windowsTpm: Platform['windowsTpm'] = () =>
  process.platform === 'win32' ? askTpmTool() : undefined

/** Its words by the versions of Windows: `-TPM Present: True` and `TPM Present: Yes`. */
const TPM_PRESENT = /\bTPM Present:\s*(?:True|Yes)\b/i

/** By its whole path: a program of that name in another folder could say anything. */
async function askTpmTool(): Promise<boolean> {
  const { execFile } = process.getBuiltinModule('node:child_process')
  const { join } = process.getBuiltinModule('node:path')
  const tool = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'tpmtool.exe')
  return new Promise((resolve, reject) => {
    const settings = { timeout: 10_000, maxBuffer: 65_536, windowsHide: true }
    execFile(tool, ['getdeviceinformation'], settings, (error, said) => {
      if (error) reject(error)
      else resolve(TPM_PRESENT.test(said))
    })
  })
}

/** A Node process is no page; only a socket can tell. */
export const isSecurePage: Platform['isSecurePage'] = () => false

export const peerCertificate: Platform['peerCertificate'] = async (url, tls, signal) => {
  const { certificateOf } = await import('./peer-certificate.js')
  return certificateOf(url, tls, signal)
}

/** The real one: a clock that tests have stopped must not stop what waits for its turn. */
const { setImmediate } = globalThis

export const nextTurn: Platform['nextTurn'] = () => new Promise((resolve) => setImmediate(resolve))

export const channel: Platform['channel'] = (name) => {
  let found: Channel<unknown> | undefined
  const it = () => {
    found ??= process.getBuiltinModule('node:diagnostics_channel').channel(name)
    return found
  }
  return {
    get hasSubscribers() {
      return it().hasSubscribers
    },
    publish: (message) => it().publish(message),
  }
}

export const mqttTransport: MqttTransport = {
  schemes: ['wss', 'ws', 'mqtts', 'mqtt'],
  load: () => import('mqtt'),
  settings: async () => ({
    createWebsocket: (await import('./websocket-node.js')).createWebsocket,
    // In a test with jsdom or happy-dom mqtt.js takes this for a browser, where it pings by a Worker.
    timerVariant: 'native',
  }),
  // mqtt.js copies each message: a Buffer's bytes into memory that it has, those of an array into an ArrayBuffer of
  // their own, which costs the garbage collector more than all else here.
  view: ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length),
  // Nagle's algorithm holds small packets back until the last one is acknowledged: 848 instead of 58,900
  // messages/s. mqtt.js leaves it on for TCP and TLS; `ws` turns it off itself.
  prepare: ({ stream }) => {
    if ('setNoDelay' in stream && typeof stream.setNoDelay === 'function') stream.setNoDelay(true)
  },
}
