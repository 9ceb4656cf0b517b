// Implements `#platform` in Node, Deno and Bun.
//
// Node's large modules are loaded on first use, because importing them took more than a third of the time of `import
// 'alvarium-sdk'`: node:fs loads its streams, and node:crypto its ciphers. Bun compiles all of them anew.

import { sha256Of, signaturesOf } from './node-crypto.js'
import type { Platform } from './platform.js'
import type { Missing, Transport } from './transport.js'

/** Node's own function, saved at import: tests that mock the clock must not block callers of `nextTurn`. */
const { setImmediate } = globalThis

let sha256: Platform['hostSha256']

export const platform: Platform = {
  hostSha256: (payload) => {
    sha256 ??= sha256Of(process.getBuiltinModule('node:crypto'), { Buffer })
    return sha256(payload)
  },
  hostHasher: () => process.getBuiltinModule('node:crypto').createHash('sha256'),
  hostSignatures: () => signaturesOf(process.getBuiltinModule('node:crypto'), { Buffer }),
  hostName,
  machineName: hostName,
  tagVariable: () => process.env['TAG'],
  readFile,
  policyFiles: () => import('./policy-file.js'),
  isDeviceOrSocket,
  windowsTpm: () => (process.platform === 'win32' ? askTpmTool() : undefined),
  hasPages: false,
  peerCertificate: async (url, tls, signal) => {
    const { certificateOf } = await import('./peer-certificate.js')
    return certificateOf(url, tls, signal)
  },
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  channel: (name) => process.getBuiltinModule('node:diagnostics_channel').channel(name),
  mqttSchemes: ['wss', 'ws', 'mqtts', 'mqtt'],
  // Convert to a Buffer, because mqtt.js copies each message: a Buffer into pooled memory, but an array into a new
  // ArrayBuffer. The garbage collector would spend more time on these ArrayBuffers than all other code here takes.
  mqttView: ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length),
}

/** Loads mqtt.js. It is not a member of `platform`, so that bundles without broker connections leave mqtt.js out. */
export const loadTransport = async (missing: Missing): Promise<Transport> =>
  (await import('./transport-node.js')).transportOf(missing)

function hostName(): string {
  return process.getBuiltinModule('node:os').hostname()
}

/** Maximum length of a file to read, in bytes, because the path may name a device without an end. */
const MAX_FILE_BYTES = 65_536

/** Reads a file into memory that can be wiped. Node's `readFile` would leave copies (js/signing/keys/secret.ts). */
async function readFile(path: string): Promise<Uint8Array> {
  const file = await process.getBuiltinModule('node:fs/promises').open(path)
  const memory = new Uint8Array(new ArrayBuffer(MAX_FILE_BYTES + 1))
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < memory.length; length += read) {
      read = (await file.read(memory, length)).bytesRead
    }
    if (length > MAX_FILE_BYTES) throw new Error(`a file of more than ${MAX_FILE_BYTES} bytes`)
    return new Uint8Array(memory.buffer.slice(0, length))
  } finally {
    memory.fill(0)
    await file.close()
  }
}

function isDeviceOrSocket(path: string): boolean {
  const found = process.getBuiltinModule('node:fs').statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.isCharacterDevice() || found.isSocket())
}

/** Pattern of the output of tpmtool in different versions of Windows: `-TPM Present: True` and `TPM Present: Yes`. */
const TPM_PRESENT = /\bTPM Present:\s*(?:(True|Yes)|False|No)\b/i

/** Runs tpmtool by its full path, because a program of that name in another folder could print anything. */
async function askTpmTool(): Promise<boolean> {
  const { execFile } = process.getBuiltinModule('node:child_process')
  const { join } = process.getBuiltinModule('node:path')
  const tool = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'tpmtool.exe')
  return new Promise((resolve, reject) => {
    const settings = { timeout: 10_000, maxBuffer: 65_536, windowsHide: true }
    execFile(tool, ['getdeviceinformation'], settings, (error, output) => {
      const [found, isPresent] = TPM_PRESENT.exec(output) ?? []
      const unknown = `tpmtool: expected TPM Present: True or False, got ${JSON.stringify(output.slice(0, 100))}`
      if (error || found === undefined) reject(error ?? new Error(unknown))
      else resolve(isPresent !== undefined)
    })
  })
}
