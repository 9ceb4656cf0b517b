// Libraries that JavaScript programs use for hashing and signing, for comparison with the package.

import * as noble from '@noble/ed25519'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { createSHA256 } from 'hash-wasm'
import sodium from 'libsodium-wrappers'

noble.hashes.sha512 = sha512
await sodium.ready
const hashWasm = await createSHA256()

/** Payload keys in upper-case hexadecimal. @type {Record<string, (payload: Uint8Array) => string>} */
export const HASHING_PEERS = {
  'hash-wasm': (payload) => hashWasm.init().update(payload).digest('hex').toUpperCase(),
  '@noble/hashes': (payload) => Buffer.from(sha256(payload)).toString('hex').toUpperCase(),
}

/**
 * @typedef {object} SigningPeer
 * @property {(bytes: Uint8Array, signingKey: Uint8Array) => Uint8Array} sign
 * @property {(bytes: Uint8Array, verifyingKey: Uint8Array, signature: Uint8Array) => boolean} verify
 */

/** @type {Record<string, SigningPeer>} */
export const SIGNING_PEERS = {
  libsodium: {
    sign: (bytes, signingKey) => sodium.crypto_sign_detached(bytes, signingKey),
    verify: (bytes, verifyingKey, signature) =>
      sodium.crypto_sign_verify_detached(signature, bytes, verifyingKey),
  },
  '@noble/ed25519': {
    sign: (bytes, signingKey) => noble.sign(bytes, signingKey.subarray(0, 32)),
    // Verify strictly, as the package does. The library's default accepts more signatures.
    verify: (bytes, verifyingKey, signature) =>
      noble.verify(signature, bytes, verifyingKey, { zip215: false }),
  },
}
