import { createPrivateKey, createPublicKey } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { type Algorithm, generateKey, type KeyPair, toHex } from 'alvarium-sdk'
import { textOf } from '../../foundation/base/errors.js'
import { shownPath } from '../../foundation/base/text/text.js'
import { PKCS8 } from '../../signing/keys/forms/seed.js'
import { invalid } from '../fault.js'
import { flushNameSync } from '../flush-name-sync.js'
import { EXIT, type Run } from '../session.js'
import { bold, green, safeText } from '../terminal/safe-text.js'
import { pem } from './pem.js'

interface KeygenOptions {
  readonly algorithm: Algorithm
  readonly form?: Form
  readonly out: string
  readonly public: string
}

export const run: Run<KeygenOptions> = async (_, options, { out }) => {
  const { algorithm, form = algorithm === 'Ed25519' ? 'hex' : 'pem' } = options
  assertFree('--out', options.out)
  assertFree('--public', options.public)
  const pair = await newPair(algorithm)
  const halves = writtenAs(form, pair, algorithm)
  try {
    store(options, halves)
  } finally {
    pair.signingKey.fill(0)
    halves.privateKey.fill(0)
  }
  await out.line(safeText`${green('✓')} ${algorithm} key ${bold(pair.keyId)}`)
  await out.line(safeText`  ${options.out}  private: only you can read it, keep it that way`)
  await out.line(safeText`  ${options.public}  public: give it to everyone who verifies your messages`)
  return EXIT.yes
}

async function newPair(algorithm: Algorithm): Promise<KeyPair> {
  return algorithm === 'Ed25519' ? generateKey() : generateKey({ algorithm })
}

/** Refuses an existing file before the key is generated. `write` checks again. */
function assertFree(option: string, path: string): void {
  if (!existsSync(path)) return
  throw invalid(
    option,
    'a new file',
    `${shownPath(path)}, which already exists: choose another name, or move it away`,
  )
}

function store({ out, public: open }: KeygenOptions, { privateKey, publicKey }: Halves): void {
  const newPaths: string[] = []
  try {
    for (const [option, path, bytes, mode] of [
      ['--out', out, privateKey, 0o600],
      ['--public', open, publicKey, 0o644],
    ] as const) {
      write(option, path, bytes, mode, () => newPaths.push(path))
    }
  } catch (error) {
    for (const path of newPaths) rmSync(path, { force: true })
    throw error
  }
}

/**
 * Creates a file, writes its contents and flushes them to disk.
 *
 * @param created - called when the file exists, even if writing to it fails later
 */
function write(option: string, path: string, bytes: Uint8Array, mode: number, created: () => void): void {
  try {
    const file = openSync(path, 'wx', mode)
    created()
    try {
      writeFileSync(file, bytes)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    flushNameSync(path)
  } catch (error) {
    throw invalid(option, 'a new file that can be written', textOf(error))
  }
}

export type Form = 'hex' | 'seed' | 'pem' | 'der' | 'jwk'

/** Contents of the private and the public key file. The caller overwrites the private key with zeros. */
interface Halves {
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
}

/** DER prefix of an Ed25519 public key in a SubjectPublicKeyInfo (RFC 8410 §4). */
const ED25519_SPKI = [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0]

const encoder = new TextEncoder()

function writtenAs(form: Form, pair: KeyPair, algorithm: Algorithm): Halves {
  if (form === 'hex' || form === 'seed') return digits(form, pair, algorithm)
  const der = derOf(pair, algorithm)
  if (form === 'der') return der
  if (form === 'jwk') return jwks(der, algorithm)
  return {
    privateKey: encoder.encode(pem('PRIVATE KEY', der.privateKey)),
    publicKey: encoder.encode(pem('PUBLIC KEY', der.publicKey)),
  }
}

/** Encodes an Ed25519 key pair in hexadecimal, which the other Alvarium SDKs read. */
function digits(form: 'hex' | 'seed', { signingKey, verifyingKey }: KeyPair, algorithm: Algorithm): Halves {
  if (algorithm !== 'Ed25519') {
    throw invalid('--form', `pem, der or jwk for ${algorithm}`, `${form}, a form of Ed25519 keys only`)
  }
  const secret = form === 'seed' ? signingKey.subarray(0, 32) : signingKey
  return { privateKey: encoder.encode(toHex(secret)), publicKey: encoder.encode(toHex(verifyingKey)) }
}

function derOf({ signingKey, verifyingKey }: KeyPair, algorithm: Algorithm): Halves {
  if (algorithm !== 'Ed25519') return { privateKey: signingKey, publicKey: verifyingKey }
  return {
    privateKey: Uint8Array.from([...PKCS8, ...signingKey.subarray(0, 32)]),
    publicKey: Uint8Array.from([...ED25519_SPKI, ...verifyingKey]),
  }
}

function jwks({ privateKey, publicKey }: Halves, algorithm: Algorithm): Halves {
  if (algorithm === 'SM2') throw invalid('--form', 'pem or der for SM2', 'jwk, which has no name for SM2')
  const secret = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' })
  const open = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
  const text = (key: typeof secret) => encoder.encode(`${JSON.stringify(key.export({ format: 'jwk' }))}\n`)
  return { privateKey: text(secret), publicKey: text(open) }
}
