import { claimsOf } from './page.js'

/** What happens when something fails, and where the package runs. */
export const FAILING = [
  ...claimsOf('examples/guide/gateway.md', [
    [
      'A reading is safe when its call resolves',
      'tests/examples/iot-gateway.test.ts',
      'keeps what it has annotated over kill -9, and sends it once there is a broker',
    ],
    [
      'On SIGTERM the gateway stops reading, signs what it has',
      'tests/examples/iot-gateway.test.ts',
      'stores a batch that is not full when it is asked to end, and says how many readings that were',
    ],
  ]),
  ...claimsOf('examples/guide/own-code.md', [
    ['None of that ends your process.', 'tests/plug-ins/calls.test.ts', 'when %s %s: %s'],
    [
      'close() itself always ends in time.',
      'tests/plug-ins/closing.test.ts',
      'close() ends, and with it the calls that never would',
    ],
    [
      'it gets the line once more without its fields; nothing else happens',
      'tests/plug-ins/loggers.test.ts',
      'is given to it once more, with why instead of its fields',
    ],
    [
      'the message stays stored and is sent again',
      'tests/plug-ins/calls.test.ts',
      'what becomes of a message in an outbox',
    ],
    [
      'it must have debug, info, warn and error, or you get CONFIG_INVALID',
      'tests/plug-ins/loggers.test.ts',
      'is said to be one by %s, and not by its first error',
    ],
    [
      'If a getter throws there, you get CONFIG_INVALID or KEY_INVALID.',
      'tests/plug-ins/requests.test.ts',
      'what is read once, and throws then, is named',
    ],
    [
      'a stream that can be closed belongs to one SDK at a time, even inside a tee or an outbox',
      'tests/streams/claim.test.ts',
      'by $first, and not to another by $second',
    ],
    [
      'A stream for dead letters belongs to one subscription.',
      'tests/streams/claim.test.ts',
      'from when that opens until it closes, and is not closed for others',
    ],
    [
      'the loop ends with STORE_FAILED; the lease or checkpoint is delivered again',
      'tests/completeness/watching.test.ts',
      'ends with an error when a checkpoint cannot be stored: the broker has it still',
    ],
    [
      'logged; the next checkpoint counts what this one had',
      'tests/completeness/making.test.ts',
      'goes on when checkpoints cannot be published, and the logger hears of it',
    ],
    [
      'It also ends a loop that waits for a store or a dead letter.',
      'tests/plug-ins/subscriptions.test.ts',
      'close() ends a loop that waits',
    ],
  ]),
  ...claimsOf('examples/guide/runtimes.md', [
    [
      'npm run matrix tests the packed tarball in each of these environments',
      'tests/build/environments.test.ts',
      'what the guide says of where it runs is what npm run matrix tries',
    ],
    [
      'Installing it adds 45 other packages',
      'tests/packaging/packaging.test.ts',
      'brings as many other packages as the guide says',
    ],
    [
      'makes 92 kB of either',
      'tests/packaging/weight.test.ts',
      '%s of %s weighs less than %i bytes, as the guide says',
    ],
    [
      'What reads sources is 2 kB more, loaded with the first one.',
      'tests/packaging/weight.test.ts',
      'what reads sources is loaded with the first one, and weighs what the guide says',
    ],
    [
      '198 kB of gzip',
      'tests/packaging/weight.test.ts',
      'the script for pages without a bundler weighs what the guide says',
    ],
    [
      'alvarium-sdk/verify is 99 kB of gzip with the core.',
      'tests/packaging/weight.test.ts',
      '%s of %s weighs less than %i bytes, as the guide says',
    ],
    [
      'alvarium-sdk/verify/ed25519 is 73 kB.',
      'tests/packaging/weight.test.ts',
      '%s of %s weighs less than %i bytes, as the guide says',
    ],
    [
      'In an older one, the first call throws CORE_UNAVAILABLE and names the browser.',
      'tests/core/advice.test.ts',
      'names the browser, and the oldest that run it',
    ],
    ["less than the file's own 84 kB", 'tests/packaging/size.test.ts', '%s.wasm is at most %i bytes of gzip'],
  ]),
  ...claimsOf('examples/guide/troubleshooting.md', [
    [
      'It is always rejected, no matter who made it.',
      'tests/keys/keys-refused.test.ts',
      'when it is a point of small order, %s',
    ],
    [
      'accepts inputs for every kind that a config can name',
      'tests/config-file/config.test.ts',
      'leaves calls free to give inputs for what it may name another time',
    ],
    [
      'A batch of one works.',
      'tests/delivery/batch-messages.test.ts',
      'a batch of several bundles is no single message, and a single message is a batch of one',
    ],
    [
      'No call rejects with this code: the answer counts as no.',
      'tests/annotators/custom.test.ts',
      'because it %s, the answer is false, everybody is told and the call goes on',
    ],
    [
      'The call that rejected is not stored.',
      'tests/outbox/disk.test.ts',
      'an outbox whose disk is full rejects, loses nothing, and goes on when there is room',
    ],
    [
      'open() rejects.',
      'tests/streams/mqtt-receive-hooks.test.ts',
      'asks again for a subscription that is refused after the connection was lost',
    ],
    [
      'No message of an outbox is left in its files.',
      'tests/outbox/rot.test.ts',
      'says what to do where nothing can be opened and nothing is an outbox’s, and touches nothing',
    ],
  ]),
]
