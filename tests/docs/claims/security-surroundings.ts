import { claimsOf } from './page.js'

/** Attacks by requests, files, brokers, disks and configs, and what is stored. */
export const SECURITY_OF_SURROUNDINGS = claimsOf('examples/guide/threats.md', [
  // What is defended, and how
  [
    'names only look up the public keys that you gave them to',
    'tests/http/alvarium.test.ts',
    'is refused by the name of a key that is a path: %s; and verifies where a trusted key has that name',
  ],
  [
    'public key, algorithm, signed components and time are checked first, from at most 8 KiB',
    'tests/http/order.test.ts',
    'of an unsigned request, before anything is read that can be long',
  ],
  [
    'With request, so must its method, host, path, query, body and signature.',
    'tests/http/responses.test.ts',
    'is signed over its status and body, and over all of that request and its signature',
  ],
  [
    'A nonce in the request makes the response the only one',
    'tests/http/responses.test.ts',
    'is not the answer to another request, and not to the same one, signed again',
  ],
  [
    'with rfc9421, method, host, path, query and body must be signed by default',
    'tests/http/rfc9421.test.ts',
    'is refused where its body is not signed, or only a part of the digest',
  ],
  [
    'at most five minutes ago',
    'tests/http/bounds.test.ts',
    'is five minutes, by clocks that differ by one, unless told otherwise',
  ],
  [
    'origin is the host that counts, whichever host the request names',
    'tests/http/annotator.test.ts',
    'takes the origin that it was told, not the host that the request names',
  ],
  [
    'One annotator accepts one of the two formats',
    'tests/http/rfc9421.test.ts',
    'is not taken for one in the dialect of the other SDKs, nor the other way round',
  ],
  [
    'Headers with signatures are limited to 8 KiB each',
    'tests/http/bounds.test.ts',
    'of characters in Signature-Input',
  ],
  [
    'names are escaped as sha256sum does',
    'tests/artifacts/checksum.test.ts',
    'takes what sha256sum says of names that it escapes',
  ],
  [
    'Circles are an error.',
    'tests/artifacts/source-code.test.ts',
    'reports a link that leads back to where it is',
  ],
  [
    'Invalid answers: not as documented, late, over 16 MiB or 100 pages, of more objects than there is to say, or from elsewhere (no redirects).',
    'tests/artifacts/vulnerability.test.ts',
    'reports a server that gives %s',
  ],
  [
    'it is compared with the lock files of the build in both directions',
    'tests/artifacts/sbom.test.ts',
    'reports a package that is not in the build, one that is missing, and one of another version',
  ],
  ['So is a name that is twice in an object.', 'tests/artifacts/sbom.test.ts', 'reports %s'],
  [
    'queues are bounded in messages and bytes and reject with QUEUE_FULL',
    'tests/streams/mqtt-limits.test.ts',
    'refuses more bytes than the limit',
  ],
  [
    "With whenFull: 'wait' calls wait, each within its time limit.",
    'tests/streams/mqtt-queue.test.ts',
    'gives each up in its time, and lets the next in when one is given up',
  ],
  [
    'Subscribers read at most prefetch messages ahead',
    'tests/streams/mqtt-receive-hooks.test.ts',
    'reads no more from the broker than the consumer asks for, and loses nothing',
  ],
  [
    'It publishes only under alvarium-doctor/',
    'tests/doctor/traces.test.ts',
    'publishes under one name of its own alone, and leaves nothing',
  ],
  [
    'MQTT 5 brokers are told not to send them (Maximum Packet Size)',
    'tests/streams/mqtt-hostile.test.ts',
    'is told how long its packets may be by those who publish, too',
  ],
  [
    'the connection ends when one begins',
    'tests/streams/mqtt-packets.test.ts',
    'is cut before mqtt.js has seen any of it',
  ],
  [
    'A QoS 2 message is handed on at once, not stored until its release.',
    'tests/streams/mqtt-arrivals.test.ts',
    'with QoS 2 is received, released, and given once, also when it is sent again in between',
  ],
  [
    'It also ends at a message with a higher QoS than requested.',
    'tests/streams/mqtt-packets.test.ts',
    'is cut when a message has a higher QoS than is allowed',
  ],
  [
    'Reading stops while prefetch messages, or 4 MiB of them, are unfinished.',
    'tests/streams/mqtt-inbox.test.ts',
    'reads on when fewer are left, however few messages that are',
  ],
  [
    'content of a message is never read as a record, or as the mark that says how far the store goes',
    'tests/outbox/forged.test.ts',
    'says nothing of how far the store goes, also where its own mark is gone',
  ],
  [
    'Overlapping record heads cost at most eight checksums of the file.',
    'tests/outbox/carve.test.ts',
    'take time in proportion to the length of the file, here %i bytes',
  ],
  [
    'A torn end of its log is skipped',
    'tests/outbox/disk.test.ts',
    'has all but a last record that was cut off in the middle',
  ],
  [
    'a failed write starts a new log',
    'tests/outbox/disk.test.ts',
    'an outbox whose disk is full rejects, loses nothing, and goes on when there is room',
  ],
  [
    'Ages use a clock that nobody sets while the process runs',
    'tests/outbox/limits.test.ts',
    'is not made so by a clock that is set by %i ms while the process runs',
  ],
  ['at most 65,536 characters', 'tests/config-file/config.test.ts', 'is refused: %s'],
  [
    '99 of one anchor are read. The hundredth is refused',
    'tests/config-file/config.test.ts',
    'reads an anchor that is named 99 times, and refuses one that is named 100 times',
  ],
  [
    'anchors that name each other a hundred times over',
    'tests/config-file/config.test.ts',
    'is refused where anchors name each other without end',
  ],
  [
    'An error never contains the value of a misspelt name',
    'tests/config-file/config.test.ts',
    'and never is what may be a password, under whatever name',
  ],
  [
    'the results of annotators, signers and streams are checked',
    'tests/plug-ins/calls.test.ts',
    'when %s %s: %s',
  ],
  // What an outbox stores
  [
    'It removes that folder once the store is open.',
    'tests/outbox/opening.test.ts',
    'after LevelDB has tidied up keeps what was there before, once, and names it',
  ],
  [
    'In Node they are in a folder that only its owner can enter',
    'tests/outbox/disk.test.ts',
    'lets only its owner in, and has a folder for what is set aside',
  ],
  [
    'stay in the subfolder set-aside until they are resent or discarded',
    'tests/outbox/disk.test.ts',
    'lets only its owner in, and has a folder for what is set aside',
  ],
  ['in files that only their owner can read', 'tests/file/file.test.ts', 'is its owner’s alone'],
  [
    'It never removes a file unless you set maxFiles.',
    'tests/file/file.test.ts',
    'begins another file before one is too long, and keeps the full ones',
  ],
  [
    'These are the dependencies that users get, as package-lock.json and crate/Cargo.lock pin them.',
    'tests/build/dependencies.test.ts',
    'names those %s, as they are pinned',
  ],
  [
    'the root of the log differs from the one that was signed',
    'tests/store/audit.test.ts',
    'names a store that was made anew without one of its messages, and signed again',
  ],
  [
    'The report counts it as unprotected.',
    'tests/store/audit.test.ts',
    'proves a store against a checkpoint that was kept, and tells what came after it',
  ],
  [
    'The audit names the pruning, and the rows that it says are gone',
    'tests/store/signed-prunings.test.ts',
    'is named where it was altered, widened or removed',
  ],
  [
    'Behind the last checkpoint it is unsigned, and the verdict says so',
    'tests/store/signed-prunings.test.ts',
    'by somebody without the key is unsigned, until somebody with it signs the next checkpoint',
  ],
  [
    'forget removes a payload key of any hash, too.',
    'tests/store/pruning.test.ts',
    'is forgotten by its hash too: its payload key is nowhere any more',
  ],
])
