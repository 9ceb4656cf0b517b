// A log by RFC 6962, and its signed notes, written from C2SP's specifications with node:crypto alone.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

/** @param {...(string | Uint8Array)} parts @returns {Buffer} */
function sha256(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const ZERO = new Uint8Array([0])
const ONE = new Uint8Array([1])

/** Returns the root over leaves: RFC 6962 §2.1. @param {readonly Buffer[]} leaves @returns {Buffer} */
export function rootOf(leaves) {
  const [first] = leaves
  if (!first) return sha256()
  if (leaves.length === 1) return first
  const left = largestPower(leaves.length)
  return sha256(ONE, rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)))
}

/** Returns the path from a leaf to the root: RFC 6962 §2.1.1. @param {readonly Buffer[]} leaves @param {number} index @returns {Buffer[]} */
export function inclusionOf(leaves, index) {
  if (leaves.length < 2) return []
  const left = largestPower(leaves.length)
  const [before, behind] = [leaves.slice(0, left), leaves.slice(left)]
  return index < left
    ? [...inclusionOf(before, index), rootOf(behind)]
    : [...inclusionOf(behind, index - left), rootOf(before)]
}

/** Returns the path from a smaller log: RFC 6962 §2.1.2. @param {readonly Buffer[]} leaves @param {number} older @returns {Buffer[]} */
export function consistencyOf(leaves, older) {
  return older === 0 || older === leaves.length ? [] : subproof(leaves, older, true)
}

/** @param {readonly Buffer[]} leaves @param {number} older @param {boolean} isKnown @returns {Buffer[]} */
function subproof(leaves, older, isKnown) {
  if (older === leaves.length) return isKnown ? [] : [rootOf(leaves)]
  const left = largestPower(leaves.length)
  if (older <= left) return [...subproof(leaves.slice(0, left), older, isKnown), rootOf(leaves.slice(left))]
  return [...subproof(leaves.slice(left), older - left, false), rootOf(leaves.slice(0, left))]
}

/** @param {number} size */
function largestPower(size) {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A key of a note's signer, and how it writes lines. */
export class NoteSigner {
  #type
  #privateKey
  #publicKey

  /** @param {string} name @param {1 | 4} type 1 of a log, 4 of a witness @param {Uint8Array} [seed] */
  constructor(name, type, seed) {
    this.name = name
    this.#type = type
    this.#privateKey = seed
      ? createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
      : generateKeyPairSync('ed25519').privateKey
    this.#publicKey = createPublicKey(this.#privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
  }

  get #keyId() {
    return sha256(this.name, '\n', new Uint8Array([this.#type]), this.#publicKey).subarray(0, 4)
  }

  get vkey() {
    const key = Buffer.concat([new Uint8Array([this.#type]), this.#publicKey])
    return `${this.name}+${this.#keyId.toString('hex')}+${key.toString('base64')}`
  }

  /** Writes a line; of a witness, with a time in seconds. @param {string} text @param {number | bigint} time */
  line(text, time = 0) {
    const signed = this.#type === 4 ? `cosignature/v1\ntime ${time}\n${text}` : text
    const before = Buffer.alloc(this.#type === 4 ? 8 : 0)
    if (this.#type === 4) before.writeBigUInt64BE(BigInt(time))
    const signature = sign(null, Buffer.from(signed), this.#privateKey)
    return `— ${this.name} ${Buffer.concat([this.#keyId, before, signature]).toString('base64')}\n`
  }
}

/** A log in memory. */
export class HandLog {
  /** @type {Buffer[]} */
  leaves = []

  /** @param {string} [origin] @param {NoteSigner} [signer] */
  constructor(origin = 'log.example/hand', signer = new NoteSigner(origin, 1)) {
    this.signer = signer
  }

  /** Adds so many entries. @param {number} count @param {string} name */
  grow(count, name = 'entry') {
    for (let left = count; left > 0; left--) this.addEntry(`${name} ${this.leaves.length}`)
    return this
  }

  /** @param {string | Uint8Array} entry */
  addEntry(entry) {
    this.leaves.push(sha256(ZERO, entry))
  }

  /** Returns another log that begins with so many of its entries, under the same name and key. @param {number} size @returns {HandLog} */
  fork(size) {
    const other = Object.create(HandLog.prototype)
    return Object.assign(other, { signer: this.signer, leaves: this.leaves.slice(0, size) })
  }

  textAt(size = this.leaves.length) {
    return `${this.signer.name}\n${size}\n${rootOf(this.leaves.slice(0, size)).toString('base64')}\n`
  }

  noteAt(size = this.leaves.length) {
    const text = this.textAt(size)
    return `${text}\n${this.signer.line(text)}`
  }

  /** Returns the path from one size to another. @param {number} from */
  pathOf(from, size = this.leaves.length) {
    return consistencyOf(this.leaves.slice(0, size), from)
  }

  /** Returns a request of tlog-witness. @param {number} from */
  request(from, size = this.leaves.length) {
    const path = this.pathOf(from, size).map((hash) => `${hash.toString('base64')}\n`)
    return `old ${from}\n${path.join('')}\n${this.noteAt(size)}`
  }

  /** Returns a proof that an entry is in the log, with a note of this size: C2SP tlog-proof. @param {number} index @param {string} note */
  proof(index, note, size = this.leaves.length) {
    const path = inclusionOf(this.leaves.slice(0, size), index).map((hash) => `${hash.toString('base64')}\n`)
    return `c2sp.org/tlog-proof@v1\nindex ${index}\n${path.join('')}\n${note}`
  }
}
