import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { type Algorithm, generateKey, type KeyPair } from 'alvarium-sdk'
import { textOf } from '../../base/errors.js'
import { invalid } from '../fault.js'
import { EXIT, type Run } from '../session.js'
import { bold, green, shown } from '../terminal/shown.js'
import { type Form, type Halves, writtenAs } from './forms.js'

/** What `alvarium keygen` can be asked for. */
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
  await out.line(shown`${green('✓')} ${algorithm} key ${bold(pair.keyId)}`)
  await out.line(shown`  ${options.out}  private: only you can read it, keep it that way`)
  await out.line(shown`  ${options.public}  public: give it to everyone who verifies your messages`)
  return EXIT.yes
}

async function newPair(algorithm: Algorithm): Promise<KeyPair> {
  return algorithm === 'Ed25519' ? generateKey() : generateKey({ algorithm })
}

/** Before a key is made; writing refuses again, should a file come into being meanwhile. */
function assertFree(option: string, path: string): void {
  if (!existsSync(path)) return
  throw invalid(
    option,
    'a file that is not there yet',
    `${path}, which is: choose another name, or move it away`,
  )
}

/** Both or neither, also where the disk is full. */
function store({ out, public: open }: KeygenOptions, { privateKey, publicKey }: Halves): void {
  const made: string[] = []
  try {
    for (const [option, path, bytes, mode] of [
      ['--out', out, privateKey, 0o600],
      ['--public', open, publicKey, 0o644],
    ] as const) {
      write(option, path, bytes, mode, () => made.push(path))
    }
  } catch (error) {
    for (const path of made) rmSync(path, { force: true })
    throw error
  }
}

/** @param created - called when the file is ours, whatever becomes of it then */
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
  } catch (error) {
    throw invalid(option, 'a new file that can be written', textOf(error))
  }
}
