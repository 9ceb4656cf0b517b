// Rooms for `npm run mutants -- <room>`: files to put faults into, and the tests that should notice.

import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOMS as FOLDERS } from '../../js/rooms.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const mqttFile = (/** @type {string} */ name) => `dist/transport/streams/mqtt/${name}.js`
const streamsTest = (/** @type {string} */ name) => `tests/streams/${name}.test.ts`

/** Tests of the command that take long, and are tried on mutants that the tests of their room leave. @type {Record<string, string[]>} */
const LATE = {
  completeness: ['tests/cli/audit.test.ts'],
  score: ['tests/cli/score.test.ts'],
  packs: ['tests/cli/pack.test.ts'],
  records: ['tests/cli/check.test.ts'],
  sets: ['tests/cli/set.test.ts'],
  trust: ['tests/cli/trust.test.ts'],
}

/**
 * @typedef {object} Room
 * @property {string[]} files
 * @property {string[]} tests
 * @property {string[]} [late] tests that take long, and are tried on mutants that the others leave
 * @property {number} [patienceMs] the time that a test may wait, if none of them takes long
 */

/**
 * Returns the room of that name, with the tests in the folder of the same name, unless it is listed below.
 *
 * @param {string} name @returns {Room | undefined}
 */
export function roomOf(name) {
  if (ROOMS[name]) return ROOMS[name]
  const folder = Object.keys(FOLDERS).find((path) => basename(path) === name)
  if (folder === undefined || !existsSync(`${root}/tests/${name}`)) return undefined
  return { files: [`dist/${folder}/**/*.js`], tests: [`tests/${name}/*.test.ts`], late: LATE[name] ?? [] }
}

/** @type {Record<string, Room>} */
const ROOMS = {
  doctor: {
    files: ['dist/transport/doctor/**/*.js'],
    tests: ['announced', 'doctor', 'embedded', 'mosquitto', 'traces'].map(
      (name) => `tests/doctor/${name}.test.ts`,
    ),
  },
  keys: {
    files: ['dist/signing/keys/**/*.js', 'dist/foundation/algorithms/*.js'],
    tests: ['tests/keys/*.test.ts', 'tests/algorithms/*.test.ts'],
  },
  verify: {
    files: ['dist/verifying/verify/*.js', 'dist/foundation/base/bytes/join.js'],
    tests: [
      ...['golden', 'identity-bytes', 'ids', 'limits', 'verify', 'verify-json', 'verify-many', 'words'].map(
        (name) => `tests/verify/${name}.test.ts`,
      ),
      'tests/delivery/batch-messages.test.ts',
      'tests/pool/messages.test.ts',
    ],
    late: [
      'tests/verify/*.test.ts',
      'tests/algorithms/messages.test.ts',
      'tests/delivery/batches.test.ts',
      'tests/keys/keyring.test.ts',
      'tests/pool/verifying.test.ts',
    ],
  },
  seal: {
    files: [
      'dist/signing/seal/*.js',
      'dist/foundation/core/hashing.js',
      'dist/foundation/base/time/clock.js',
    ],
    tests: [
      ...[
        ...[
          'clock',
          'crossing',
          'entropy',
          'naming',
          'ec-group',
          'packed',
          'released',
          'signer',
          'silent-platform',
        ],
        'coalescer',
      ].map((name) => `tests/seal/${name}.test.ts`),
      'tests/hashing/*.test.ts',
      'tests/keys/keys.test.ts',
      'tests/keys/wiping.test.ts',
      'tests/algorithms/remains.test.ts',
      'tests/algorithms/signers.test.ts',
      'tests/delivery/tags.test.ts',
      'tests/pool/sealing.test.ts',
    ],
    late: [
      'tests/seal/identity.test.ts',
      'tests/algorithms/messages.test.ts',
      'tests/sdk/*.test.ts',
      'tests/delivery/{batch*,many}.test.ts',
    ],
  },
  annotators: {
    files: ['dist/signing/annotators/*.js'],
    tests: [
      'tests/annotators/*.test.ts',
      'tests/sdk/gone.test.ts',
      'tests/sdk/actions.test.ts',
      'tests/config/slips.test.ts',
      'tests/delivery/questions.test.ts',
    ],
  },
  delivery: {
    files: ['dist/sdk/delivery/*.js', 'dist/sdk/instance/*.js'],
    tests: ['tests/delivery/*.test.ts', 'tests/sdk/*.test.ts', 'tests/diagnostics/*.test.ts'],
  },
  outbox: {
    files: ['dist/transport/streams/outbox/*.js'],
    tests: ['tests/outbox/*.test.ts'],
  },
  // The streams in four, each with the tests that concern it: together they take hours.
  packets: {
    files: [
      ...['acknowledgements', 'bounds', 'client-id', 'filters', 'inbox'].map(mqttFile),
      ...['options', 'packets', 'reasons'].map(mqttFile),
      'dist/transport/streams/*.js',
    ],
    tests: [
      ...['buffer', 'mqtt-client-id', 'mqtt-filters', 'mqtt-inbox', 'mqtt-options', 'mqtt-packets'].map(
        streamsTest,
      ),
      ...['mqtt-receive', 'mqtt-reasons', 'tee'].map(streamsTest),
      'tests/config/defaults.test.ts',
      'tests/config/slips.test.ts',
    ],
    patienceMs: 4_000,
  },
  queue: {
    files: [
      'backpressure',
      'chain',
      'in-flight',
      'poison',
      'queue',
      'queued-message',
      'rejections',
      'schedule',
    ].map(mqttFile),
    tests: [...['mqtt-in-flight', 'mqtt-queue*'].map(streamsTest), 'tests/diagnostics/diagnostics.test.ts'],
    patienceMs: 2_000,
  },
  connection: {
    files: ['connection', 'dial', 'grants', 'link', 'liveness', 'mqtt', 'reconnection'].map(mqttFile),
    tests: [
      ...['mqtt-reconnection', 'mqtt-dial', 'mqtt-grants', 'mqtt-stream', 'mqtt-liveness'].map(streamsTest),
      'tests/diagnostics/diagnostics.test.ts',
    ],
    late: ['mqtt-connection', 'mqtt-failures', 'mqtt-leftovers', 'mqtt-recovery', 'mqtt-tls'].map(
      streamsTest,
    ),
    patienceMs: 4_000,
  },
  receive: {
    files: ['receive', 'subscribing'].map(mqttFile),
    tests: [...['mqtt-arrivals', 'mqtt-subscribing'].map(streamsTest), 'tests/subscribe/listeners.test.ts'],
    late: ['mqtt-copies', 'mqtt-leftovers', 'mqtt-receive-hooks', 'mqtt-receive'].map(streamsTest),
    patienceMs: 4_000,
  },
  consume: {
    files: ['dist/verifying/consume/*.js', 'dist/sdk/subscribe/*.js'],
    tests: ['tests/consume/*.test.ts', 'tests/subscribe/*.test.ts', 'tests/diagnostics/*.test.ts'],
  },
  'config-file': {
    files: ['dist/sdk/config/file/*.js'],
    tests: ['tests/config-file/*.test.ts'],
  },
  file: {
    files: ['dist/transport/streams/file/*.js'],
    tests: ['tests/file/*.test.ts'],
  },
}
