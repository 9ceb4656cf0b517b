// @node-only: it uses node:child_process, node:events, node:fs, node:os, node:path, node:url

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha512 } from '@noble/hashes/sha2.js'
import { generateKey, toHex } from 'alvarium-sdk'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { base64, utf8 } from '../support/bytes.js'
import { privateKeyOf } from '../support/key-forms.js'

const user = fileURLToPath(new URL('../support/key-user.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'alvarium-remains-'))
const path = join(folder, 'private.key')
const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Starts a process that has used the key of that file, and returns its id. */
async function used(how: string): Promise<number> {
  const child = fork(user, [path, how], { execArgv: [] })
  running.add(child)
  await once(child, 'message')
  return child.pid as number
}

const PIECE = 8 * 1024 * 1024

/** Counts the copies of each byte string in the writable memory of a process, as Linux shows it. */
function remains(pid: number, secrets: Record<string, Uint8Array>): Record<string, number> {
  const found: Record<string, number> = {}
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const piece = Buffer.alloc(PIECE)
  for (const [start, end] of writable(pid)) {
    for (let at = start; at < end; at += PIECE) {
      const length = readAt(memory, piece, Math.min(PIECE, end - at), at)
      for (const [name, secret] of Object.entries(secrets)) {
        found[name] = (found[name] ?? 0) + (piece.subarray(0, length).includes(Buffer.from(secret)) ? 1 : 0)
      }
    }
  }
  closeSync(memory)
  return found
}

function writable(pid: number): [number, number][] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  return lines.flatMap((line): [number, number][] => {
    const [, start = '', end = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
    return start === '' || line.includes('[v') ? [] : [[Number.parseInt(start, 16), Number.parseInt(end, 16)]]
  })
}

function readAt(memory: number, piece: Buffer, length: number, at: number): number {
  try {
    return readSync(memory, piece, 0, length, at)
  } catch {
    return 0 // the region no longer exists
  }
}

/** Returns the seed, its expansion (RFC 8032 §5.1.5), and its text in files; each is too long to occur by chance. */
function secretsOf(seed: Uint8Array, text: Uint8Array): Record<string, Uint8Array> {
  const expanded = sha512(seed)
  const whole = { seed, scalar: expanded.subarray(0, 32), prefix: expanded.subarray(32) }
  return { ...whole, ...(text.length > 0 && { text }) }
}

const key = () => generateKey().signingKey
const FORMS: [
  string,
  string,
  () => Promise<{ seed: Uint8Array; file: string | Uint8Array; text: string }>,
][] = [
  [
    'bytes',
    'file',
    async () => {
      const file = key()
      return { seed: file.subarray(0, 32), file, text: '' }
    },
  ],
  [
    'hexadecimal',
    'file',
    async () => {
      const file = toHex(key())
      return { seed: Buffer.from(file.slice(0, 64), 'hex'), file, text: file.slice(0, 64) }
    },
  ],
  [
    'the hexadecimal of a seed',
    'seed',
    async () => {
      const file = toHex(key()).slice(0, 64)
      return { seed: Buffer.from(file, 'hex'), file, text: file }
    },
  ],
  [
    'PEM',
    'file',
    async () => {
      const seed = key().slice(0, 32)
      const { der, pem } = await privateKeyOf(seed)
      // Three bytes are four digits: the 18th byte of DER and all later ones belong to the seed.
      return { seed, file: pem, text: base64(der.subarray(18)) }
    },
  ],
]

/** Makes PKCS#8 of P-256, and finds its scalar, after the tag of a string of 32 bytes. */
async function p256() {
  const { signingKey } = await generateKey({ algorithm: 'P-256' })
  const at = Buffer.from(signingKey).indexOf(Uint8Array.of(4, 32)) + 2
  return { file: signingKey, scalar: signingKey.slice(at, at + 32) }
}

describe.skipIf(process.platform !== 'linux')('in the memory of a process', () => {
  it('a private key can be found while an SDK is open', async () => {
    const { signingKey } = generateKey()
    writeFileSync(path, signingKey)
    const found = remains(await used('open'), secretsOf(signingKey.slice(0, 32), new Uint8Array()))
    expect(found['seed']).toBeGreaterThan(0)
    expect(found['prefix']).toBeGreaterThan(0)
  })

  // claim: security-11
  it('a private key of P-256 can be found while an SDK is open, and not after close()', async () => {
    const { file, scalar } = await p256()
    writeFileSync(path, file)
    expect(remains(await used('open'), { scalar })['scalar']).toBeGreaterThan(0)
    expect(remains(await used('file'), { scalar })).toEqual({ scalar: 0 })
  })

  // claim: security-3
  it.each(FORMS)(
    'nothing of a private key that was read as %s remains after close()',
    async (_, how, make) => {
      const { seed, file, text } = await make()
      writeFileSync(path, file)
      const secrets = secretsOf(seed, utf8(text))
      const found = remains(await used(how), secrets)
      expect(found).toEqual(Object.fromEntries(Object.keys(secrets).map((name) => [name, 0])))
    },
  )

  it.each([1, 2, 3])('nothing of a generated private key remains after close(), in run %s', async () => {
    const pid = await used('made')
    const found = remains(pid, secretsOf(readFileSync(path).subarray(0, 32), new Uint8Array()))
    expect(found).toEqual({ seed: 0, scalar: 0, prefix: 0 })
  })
})
