// Rooms for `npm run mutants -- <room>`: files to put faults into, and the tests that should notice.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const mqttFile = (/** @type {string} */ name) => `dist/streams/mqtt/${name}.js`
const streamsTest = (/** @type {string} */ name) => `tests/streams/${name}.test.ts`

/** Tests of the command that take long, and are tried on mutants that the tests of their room leave. @type {Record<string, string[]>} */
const LATE = {
  completeness: ['tests/cli/audit.test.ts'],
  judge: ['tests/cli/score.test.ts'],
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
 * Returns the room of that name: a folder of dist/ with the tests in the folder of the same name, unless it is listed below.
 *
 * @param {string} name @returns {Room | undefined}
 */
export function roomOf(name) {
  const isFolder = ['dist', 'tests'].every((folder) => existsSync(`${root}/${folder}/${name}`))
  const files = [`dist/${name}/**/*.js`]
  return (
    ROOMS[name] ??
    (isFolder ? { files, tests: [`tests/${name}/*.test.ts`], late: LATE[name] ?? [] } : undefined)
  )
}

/** @type {Record<string, Room>} */
const ROOMS = {
  doctor: {
    files: ['dist/doctor/**/*.js'],
    tests: ['announced', 'doctor', 'embedded', 'mosquitto', 'traces'].map(
      (name) => `tests/doctor/${name}.test.ts`,
    ),
  },
  keys: {
    files: ['dist/keys/*.js', 'dist/algorithms/*.js'],
    tests: ['tests/keys/*.test.ts', 'tests/algorithms/*.test.ts'],
  },
  verify: {
    files: ['dist/verify/*.js', 'dist/base/bytes/join.js'],
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
    files: ['dist/seal/*.js', 'dist/core/hashing.js', 'dist/base/time/clock.js'],
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
    files: ['dist/annotators/*.js'],
    tests: [
      'tests/annotators/*.test.ts',
      'tests/sdk/gone.test.ts',
      'tests/sdk/actions.test.ts',
      'tests/config/slips.test.ts',
      'tests/delivery/questions.test.ts',
    ],
  },
  delivery: {
    files: ['dist/delivery/*.js', 'dist/sdk/*.js'],
    tests: ['tests/delivery/*.test.ts', 'tests/sdk/*.test.ts', 'tests/diagnostics/*.test.ts'],
  },
  outbox: {
    files: ['dist/streams/outbox/*.js'],
    tests: ['tests/outbox/*.test.ts'],
  },
  // The streams in four, each with the tests that concern it: together they take hours.
  packets: {
    files: [
      ...['acknowledgements', 'bounds', 'client-id', 'filters', 'inbox'].map(mqttFile),
      ...['options', 'packets', 'reasons'].map(mqttFile),
      'dist/streams/*.js',
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
    files: ['dist/consume/*.js', 'dist/subscribe/*.js'],
    tests: ['tests/consume/*.test.ts', 'tests/subscribe/*.test.ts', 'tests/diagnostics/*.test.ts'],
  },
  'config-file': {
    files: ['dist/config/file/*.js'],
    tests: ['tests/config-file/*.test.ts'],
  },
  file: {
    files: ['dist/streams/file/*.js'],
    tests: ['tests/file/*.test.ts'],
  },
}
