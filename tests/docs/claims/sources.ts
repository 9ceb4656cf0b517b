import { claimsOf } from './page.js'

const CALLS = 'tests/sources/calls.test.ts'
const READING = 'tests/sources/sources.test.ts'
const PASSING = 'tests/sources/passing.test.ts'
const FILES = 'tests/sources/files.test.ts'

export const SOURCES = claimsOf('examples/guide/sources.md', [
  [
    'A payload of 10 GB then takes no more memory than one of 10 MB.',
    'tests/sources/memory.test.ts',
    'a source of a gibibyte is hashed in the memory of a few pieces',
  ],
  [
    'createMany, verifyClassic and verifyRequest take bytes only.',
    CALLS,
    'what takes bytes alone refuses a source as the wrong type',
  ],
  [
    "The annotators' time limit starts when they are asked.",
    CALLS,
    'have their whole time limit after its last byte, however long it took',
  ],
  ['close() waits for up to closeTimeoutMs.', CALLS, 'waits for sources that are being read'],
  [
    "give it: hashing({ hash: 'md5' }).",
    PASSING,
    'is refused where another hash is expected, with the way out',
  ],
  [
    'timers and sockets get their turn every few milliseconds.',
    READING,
    'of %s lets timers have their turn, and ends with the signal',
  ],
  [
    'The message is the same as for the bytes',
    CALLS,
    'says what a call with the bytes says, whichever it is',
  ],
  [
    'it is read ahead, and refused if it changes',
    FILES,
    'refuses a file that %s, before or while it is read',
  ],
  [
    'the stream, without an encoding',
    FILES,
    'is a source: a stream that nobody has read, and a blob that has not changed',
  ],
  [
    'verifyMessage reads the source only if the signature is good.',
    CALLS,
    'reads nothing of it when the signature is not good',
  ],
  [
    'A piece must not change until the next one is asked for.',
    READING,
    'is that of what each piece was when it came, though one memory is used for all of them',
  ],
  [
    'Each piece must be a Uint8Array: anything else is a TypeError.',
    READING,
    'when a piece is %s, and is told that nobody reads on',
  ],
  [
    'If a stream or an iterable has a size, exactly that many bytes must come.',
    READING,
    'when it has other than the %i bytes that it says',
  ],
  [
    'Calls that you make in the meantime are published first.',
    CALLS,
    'keeps nobody waiting: calls after it are published before it, and take no place of its',
  ],
  [
    "the call rejects with the signal's reason, and the source is cancelled.",
    CALLS,
    'rejects with the reason when it is aborted half-way, and publishes nothing',
  ],
  [
    'Then it cancels the source, and the call rejects with STREAM_CLOSED.',
    CALLS,
    'ends those that take longer than its time limit, and tells them',
  ],
  [
    'One more rejects with QUEUE_FULL and is left unread.',
    READING,
    'when over 1,024 are being read, and not when those have ended',
  ],
  ['at most ten times a second and at the end', READING, 'is told of meanwhile, by what has been hashed'],
  [
    'If the data does not arrive completely, the call rejects with PAYLOAD_INVALID, and nothing is published.',
    PASSING,
    'is annotated not at all when its source fails, its reader leaves, or a piece is no bytes',
  ],
  [
    'If you abort the call, the data passes all the same.',
    PASSING,
    'passes on when the call is aborted, and when nobody asks for it',
  ],
  [
    'They get key and size instead, after the last byte.',
    CALLS,
    'are asked after its last byte, with key and size in place of the payload',
  ],
  [
    'rejects with PAYLOAD_INVALID before anything is read',
    CALLS,
    'that need the payload refuse a source before it is read; where they are not asked, they do not',
  ],
  ['when the call begins', CALLS, 'are asked when the call begins, if they need nothing'],
  [
    'a source rejects with PAYLOAD_INVALID too.',
    CALLS,
    'with hash none, a source is refused before it is read',
  ],
  [
    'the command reads it in pieces',
    'tests/cli/verify.test.ts',
    'compares a file that is too long to be kept, which annotate has hashed while it read it: %s',
  ],
  ['Its own error is the cause.', READING, 'when it throws, with its own error as the cause'],
  [
    'A stream was read before, or is locked.',
    READING,
    'when it was read before, by us or by others: nothing is left in it, whose hash would be a good one',
  ],
])
