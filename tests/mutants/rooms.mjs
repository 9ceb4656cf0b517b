// What `npm run mutants -- <room>` puts faults into, and the tests that should notice.

/**
 * `late` ones take long, and are tried on what the others leave.
 *
 * @type {Record<string, { files: string[], tests: string[], late?: string[] }>}
 */
export const ROOMS = {
  cli: {
    files: ['dist/cli/**/*.js'],
    tests: ['tests/cli/*.test.ts'],
  },
  keys: {
    files: ['dist/keys/*.js', 'dist/algorithms/*.js'],
    tests: ['tests/keys/*.test.ts', 'tests/algorithms/*.test.ts'],
  },
  verify: {
    files: ['dist/verify/*.js', 'dist/base/join.js'],
    tests: ['tests/verify/*.test.ts', 'tests/delivery/batch*.test.ts', 'tests/pool/verifying.test.ts'],
  },
  seal: {
    files: ['dist/seal/*.js', 'dist/hashing/*.js'],
    tests: [
      ...[
        ...[
          'clock',
          'crossing',
          'entropy',
          'naming',
          'other-group',
          'packed',
          'released',
          'signer',
          'silent-platform',
        ],
        'together',
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
    files: ['dist/delivery/*.js'],
    tests: ['tests/delivery/*.test.ts', 'tests/sdk/*.test.ts', 'tests/diagnostics/*.test.ts'],
  },
  outbox: {
    files: ['dist/outbox/*.js'],
    tests: ['tests/outbox/*.test.ts'],
  },
  streams: {
    files: ['dist/streams/**/*.js'],
    tests: [
      ...['buffer', 'mqtt-hostile', 'mqtt-options', 'mqtt-parts', 'mqtt-queue', 'mqtt-tls', 'tee'].map(
        (name) => `tests/streams/${name}.test.ts`,
      ),
      'tests/subscribe/listeners.test.ts',
    ],
    late: ['tests/streams/*.test.ts', 'tests/subscribe/*.test.ts'],
  },
  // What of streams needs no broker to be tested: minutes instead of hours.
  queue: {
    files: ['chain', 'deadlines', 'flight', 'queue', 'room', 'waiting'].map(
      (name) => `dist/streams/mqtt/${name}.js`,
    ),
    tests: ['tests/streams/mqtt-queue.test.ts', 'tests/streams/mqtt-parts.test.ts'],
  },
  consume: {
    files: ['dist/consume/*.js'],
    tests: ['tests/consume/*.test.ts', 'tests/subscribe/*.test.ts', 'tests/diagnostics/*.test.ts'],
  },
  http: {
    files: ['dist/http/*.js'],
    tests: ['tests/http/*.test.ts'],
  },
  artifacts: {
    files: ['dist/artifacts/*.js'],
    tests: ['tests/artifacts/*.test.ts'],
  },
  'config-file': {
    files: ['dist/config-file/*.js'],
    tests: ['tests/config-file/*.test.ts'],
  },
  file: {
    files: ['dist/file/*.js'],
    tests: ['tests/file/*.test.ts'],
  },
}
