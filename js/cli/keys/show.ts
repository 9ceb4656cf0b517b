import type { Algorithm } from 'alvarium-sdk'
import { keyIdOf, loadAlgorithms, readKey } from 'alvarium-sdk/verify'
import { fourBits } from '../../foundation/base/bytes/hex.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { verifyingAlgorithmOf } from '../../signing/keys/algorithm-of.js'
import { openSigningKey, publicHalf, wipeStack } from '../../signing/keys/core-key.js'
import { isEcKey, openEc } from '../../signing/keys/ec/signing-key.js'
import { isSshLine } from '../../signing/keys/forms/openssh.js'
import { trimBytes } from '../../signing/keys/secret.js'
import { EXIT, type Run } from '../session.js'
import { bold, padText, safeText } from '../terminal/safe-text.js'
import type { Form } from './keygen.js'

interface ShowOptions {
  readonly seed?: boolean
  readonly json?: boolean
}

export const run: Run<ShowOptions> = async (files, { seed = false, json }, { out }) => {
  for (const file of files) {
    const key = await openKeyFile(file, { seed })
    await out.show(json, { file, ...key }, () => [describeKey(file, key)])
  }
  return EXIT.yes
}

function describeKey(file: string, { keyId, half, algorithm, form }: KeyFile) {
  return safeText`${bold(keyId)}  ${padText(half, 7)}  ${padText(algorithm, 9)}  ${padText(form, 5)}  ${file}`
}

interface KeyFile {
  readonly half: 'private' | 'public'
  readonly algorithm: Algorithm
  readonly form: Form | 'bytes' | 'ssh'
  readonly keyId: string
}

async function openKeyFile(path: string, { seed = false }: { seed?: boolean }): Promise<KeyFile> {
  const bytes = await readKey(path, { seed })
  try {
    await loadAlgorithms()
    const form = seed ? 'seed' : formOf(bytes)
    return { form, ...(privateKey(bytes) ?? (await publicKey(bytes))) }
  } finally {
    bytes.fill(0)
  }
}

type Half = Omit<KeyFile, 'form'>

/** Parses a private key; undefined if the bytes contain none. Throws for a private key in PEM that is unreadable. */
function privateKey(bytes: Uint8Array): Half | undefined {
  try {
    return isEcKey(bytes) ? ofEc(bytes) : ofEd25519(bytes)
  } catch (error) {
    const isNone = error instanceof AlvariumError && error.code === 'KEY_INVALID'
    if (isNone && !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(LABEL)) return undefined
    throw error
  }
}

/** End of the PEM label of every private key, including encrypted and RSA keys. */
const LABEL = 'PRIVATE KEY-----'

async function publicKey(bytes: Uint8Array): Promise<Half> {
  return { half: 'public', algorithm: await verifyingAlgorithmOf(bytes), keyId: keyIdOf(bytes) }
}

function ofEc(bytes: Uint8Array): Half {
  const key = openEc(bytes)
  try {
    return { half: 'private', algorithm: key.algorithm, keyId: key.publicKey.keyId }
  } finally {
    key.free()
  }
}

function ofEd25519(bytes: Uint8Array): Half {
  const key = openSigningKey(bytes)
  try {
    return { half: 'private', algorithm: 'Ed25519', keyId: publicHalf(key.object).keyId }
  } finally {
    key.release()
    wipeStack()
  }
}

const DASH = 0x2d
const BRACE = 0x7b

/** Returns the format of a key file by its contents, with the same rule as the key readers. */
function formOf(bytes: Uint8Array): KeyFile['form'] {
  const text = trimBytes(bytes)
  if (text[0] === DASH) return 'pem'
  if (text[0] === BRACE) return 'jwk'
  if (isSshLine(text)) return 'ssh'
  if (isHex(text)) return 'hex'
  return bytes.length === 32 || bytes.length === 64 ? 'bytes' : 'der'
}

/** Returns whether the text is a key in hexadecimal. Works on bytes, because a string could not be erased. */
function isHex(text: Uint8Array): boolean {
  return (text.length === 64 || text.length === 128) && text.every((code) => fourBits(code) >= 0)
}
