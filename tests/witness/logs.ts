import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'

// A log by RFC 6962, and its signed notes, written from C2SP's specifications with node:crypto alone.

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const ZERO = new Uint8Array([0])
const ONE = new Uint8Array([1])

/** Returns the root over leaves: RFC 6962 §2.1. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leaves[0] as Buffer
  const left = largestPower(leaves.length)
  return sha256(ONE, rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)))
}

/** Returns the path from a smaller log: RFC 6962 §2.1.2. */
export function consistencyOf(leaves: readonly Buffer[], older: number): Buffer[] {
  return older === 0 || older === leaves.length ? [] : subproof(leaves, older, true)
}

function subproof(leaves: readonly Buffer[], older: number, isKnown: boolean): Buffer[] {
  if (older === leaves.length) return isKnown ? [] : [rootOf(leaves)]
  const left = largestPower(leaves.length)
  if (older <= left) return [...subproof(leaves.slice(0, left), older, isKnown), rootOf(leaves.slice(left))]
  return [...subproof(leaves.slice(left), older - left, false), rootOf(leaves.slice(0, left))]
}

function largestPower(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/** A key of a note's signer, and how it writes lines. */
export class NoteSigner {
  readonly name: string
  readonly #type: number
  readonly #privateKey: KeyObject
  readonly #publicKey: Buffer

  /** @param type - 1 of a log, 4 of a witness */
  constructor(name: string, type: 1 | 4, seed?: Uint8Array) {
    this.name = name
    this.#type = type
    this.#privateKey = seed
      ? createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
      : generateKeyPairSync('ed25519').privateKey
    this.#publicKey = createPublicKey(this.#privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
  }

  get #keyId(): Buffer {
    return sha256(this.name, '\n', new Uint8Array([this.#type]), this.#publicKey).subarray(0, 4)
  }

  get vkey(): string {
    const key = Buffer.concat([new Uint8Array([this.#type]), this.#publicKey])
    return `${this.name}+${this.#keyId.toString('hex')}+${key.toString('base64')}`
  }

  /** Writes a line; of a witness, with a time in seconds. */
  line(text: string, time = 0): string {
    const signed = this.#type === 4 ? `cosignature/v1\ntime ${time}\n${text}` : text
    const before = Buffer.alloc(this.#type === 4 ? 8 : 0)
    if (this.#type === 4) before.writeBigUInt64BE(BigInt(time))
    const signature = sign(null, Buffer.from(signed), this.#privateKey)
    return `— ${this.name} ${Buffer.concat([this.#keyId, before, signature]).toString('base64')}\n`
  }
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A log in memory. */
export class HandLog {
  readonly signer: NoteSigner
  leaves: Buffer[] = []

  constructor(origin = 'log.example/hand') {
    this.signer = new NoteSigner(origin, 1)
  }

  /** Adds so many entries. */
  grow(count: number, name = 'entry'): this {
    for (let left = count; left > 0; left--) this.leaves.push(sha256(ZERO, `${name} ${this.leaves.length}`))
    return this
  }

  /** Returns another log that begins with so many of its entries, under the same name and key. */
  fork(size: number): HandLog {
    const other: HandLog = Object.create(HandLog.prototype)
    return Object.assign(other, { signer: this.signer, leaves: this.leaves.slice(0, size) })
  }

  textAt(size = this.leaves.length): string {
    return `${this.signer.name}\n${size}\n${rootOf(this.leaves.slice(0, size)).toString('base64')}\n`
  }

  noteAt(size = this.leaves.length): string {
    const text = this.textAt(size)
    return `${text}\n${this.signer.line(text)}`
  }

  /** Returns the path from one size to another. */
  pathOf(from: number, size = this.leaves.length): Buffer[] {
    return consistencyOf(this.leaves.slice(0, size), from)
  }

  /** Returns a request of tlog-witness. */
  request(from: number, size = this.leaves.length): string {
    const path = this.pathOf(from, size).map((hash) => `${hash.toString('base64')}\n`)
    return `old ${from}\n${path.join('')}\n${this.noteAt(size)}`
  }
}
