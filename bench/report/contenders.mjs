// Contenders of the charts, with a description and a colour that is the same in every suite.

/** Colours for light and dark backgrounds. A contender has the same index in both lists. */
const COLOURS = {
  light: ['#0b6e4f', '#c1292e', '#235789', '#e08d00', '#7b2d8b', '#5c6672', '#00a6a6', '#b0578d'],
  dark: ['#4cc38a', '#ff7b7f', '#70a8e4', '#f5b041', '#c58af9', '#a3adb8', '#3fd0d0', '#f19ac6'],
}

/** Returns the colours as CSS custom properties. @param {'light' | 'dark'} scheme */
export const palette = (scheme) => COLOURS[scheme].map((colour, at) => `--colour-${at}: ${colour}`).join('; ')

/** @typedef {{ colour: number, means: string }} Contender */

const contender = (/** @type {number} */ colour, /** @type {string} */ means) => ({ colour, means })

/** Contenders by their names in the suites. @type {Readonly<Record<string, Contender>>} */
export const CONTENDERS = {
  ours: contender(
    0,
    'alvarium-sdk as it is installed, or in curve and signing its arithmetic alone; messages are dropped when they are made',
  ),
  once: contender(
    1,
    'plain Node: node:crypto hashes and signs once per call, the best that we could write without a core',
  ),
  each: contender(
    2,
    'plain Node, working as the Go, Java, Rust and Python SDKs do: hash, key file and signature anew for each annotator',
  ),
  Java: contender(4, "the Java SDK, in the report's figures"),
  'Java, all changes': contender(6, "the report's Java SDK with all of its changes, in its figures"),
  Rust: contender(3, "the Rust SDK, in the report's figures"),

  none: contender(2, 'plain Node in the original design, as each'),
  'keep key': contender(3, 'none, but the key file is read once'),
  'hash once': contender(4, 'none, but the payload is hashed once per call'),
  'sign once': contender(5, 'none, but one signature covers all annotations'),
  identity: contender(6, 'none, but a short text is signed in place of JSON'),
  inline: contender(7, 'none, but the content is JSON in place of base64'),
  all: contender(1, 'all five changes together'),

  createMany: contender(0, 'alvarium-sdk: createMany, one signature per batch'),
  create: contender(6, 'alvarium-sdk with batch: calls of create that go together'),
  hashing: contender(5, 'nothing but the hashes of the payloads, by node:crypto'),

  '4 lanes': contender(0, 'our core, four payloads at a time on SIMD'),
  'joined, 4 lanes': contender(1, 'the same, with putting them one behind the other first'),
  wasm: contender(6, 'our core, one payload at a time'),
  host: contender(4, "Node's own SHA-256, called by alvarium-sdk"),
  auto: contender(2, 'whichever of them alvarium-sdk chooses'),
  'node:crypto': contender(3, 'Node alone, with OpenSSL; key objects are kept'),
  'hash-wasm': contender(5, 'the npm package hash-wasm'),
  '@noble/hashes': contender(7, 'the npm package @noble/hashes, in JavaScript'),

  WebCrypto: contender(4, 'crypto.subtle of Node, with keys of its own'),
  libsodium: contender(6, 'the npm package libsodium-wrappers: C compiled to WebAssembly'),
  '@noble/ed25519': contender(7, 'the npm package @noble/ed25519, in JavaScript'),
  '@noble/curves': contender(7, 'the npm package @noble/curves, in JavaScript'),
  native: contender(
    4,
    'what the Rust SDK does for one call: one hash of the payload, two of short texts, one signature, one JSON; its crates in native code',
  ),
  'ours, then trying': contender(5, 'ours, with the recovery id found by trying afterwards'),

  'no pool': contender(0, 'alvarium-sdk in the thread that calls it'),
  '1 worker': contender(6, 'alvarium-sdk with a pool of one worker'),
  '2 workers': contender(4, 'alvarium-sdk with a pool of two'),

  core: contender(0, 'our core: from a digest and answers to the JSON of a bundle'),
  'core, cbor()': contender(6, 'our core, with the codec for CBOR: a whole message'),
  JSON: contender(3, 'JSON.stringify and TextEncoder, of an object that is there already'),
  'built, JSON': contender(5, 'the same, with building the object'),
  'fast-json': contender(1, 'the npm package fast-json-stringify, with a compiled schema'),
  msgpackr: contender(2, 'the npm package msgpackr, with shared structures'),
  'cbor-x': contender(4, 'the npm package cbor-x, with shared structures'),
  protobufjs: contender(7, 'the npm package protobufjs'),

  memory: contender(5, 'alvarium-sdk alone: messages go into an array'),
  'QoS 0': contender(6, 'alvarium-sdk by way of Mosquitto over WebSocket, handed to the connection'),
  'QoS 1': contender(0, 'alvarium-sdk by way of Mosquitto over WebSocket, acknowledged'),
  outbox: contender(4, 'alvarium-sdk with an outbox before the broker: stored on the disk'),
  'once, mqtt.js': contender(1, 'once, with mqtt.js as it comes, QoS 1'),

  'each bundle': contender(1, 'alvarium-sdk with a signer that is asked for each bundle'),
  leased: contender(0, 'alvarium-sdk with a key that the same signer has given a lease'),

  'ours, in the core': contender(6, 'ours, hashed by our core, as where the host has no streams'),

  plain: contender(1, 'without checkpoints'),
  checkpoints: contender(0, 'with checkpoints'),

  keyring: contender(1, 'public keys that are trusted for everything'),
  trust: contender(0, 'a policy with a rule for everything that there are rules for'),

  'alvarium-sdk': contender(0, 'the stream mqtt of alvarium-sdk'),
  'mqtt.js': contender(3, 'the npm package mqtt as it comes'),
}

/** @param {string} name @returns {Contender} */
export function contenderOf(name) {
  const found = CONTENDERS[name]
  if (!found)
    throw new RangeError(`contender: expected one that bench/report/contenders.mjs explains, got ${name}`)
  return found
}

/** Returns a contender's colour as a CSS value. @param {string} name */
export const colourOf = (name) => `var(--colour-${contenderOf(name).colour})`
