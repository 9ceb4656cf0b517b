import { claimsOf } from './page.js'

const OUTBOX = 'tests/outbox/outbox.test.ts'
const REJECTIONS = 'tests/outbox/rejections.test.ts'
const SET_ASIDE = 'tests/outbox/set-aside.test.ts'
const ROT = 'tests/outbox/rot.test.ts'
const READY = 'tests/sdk/ready.test.ts'

export const DELIVERY = claimsOf('examples/guide/delivery.md', [
  [
    'A call resolves when the stream has accepted its message.',
    'tests/sdk/lifecycle.test.ts',
    'a call resolves only when the stream has accepted the message',
  ],
  [
    'Otherwise the call rejects with the reason. No call fails silently.',
    'tests/streams/mqtt-limits.test.ts',
    'says so, with the reason',
  ],
  // Avoid full queues
  [
    'At the limit, calls reject with QUEUE_FULL.',
    'tests/streams/mqtt-limits.test.ts',
    'refuses more messages than the limit',
  ],
  [
    "With whenFull: 'wait', mqtt makes them wait instead.",
    'tests/streams/mqtt-queue.test.ts',
    'sends them in order as there is room, and refuses only what would never fit',
  ],
  [
    'ready() waits for room in all of them.',
    READY,
    'whoever waits for ready() before each call never meets QUEUE_FULL',
  ],
  ['each gets its own place', READY, 'each gets a place of its own, in their order'],
  ['reserved for one second', READY, 'one that does not call loses its place after a second'],
  [
    'close() waits for calls in progress, even with your own stream.',
    'tests/sdk/lifecycle.test.ts',
    'closes the stream when that has said what became of every message',
  ],
  [
    'A call also takes { signal }, which cancels it.',
    'tests/sdk/abort.test.ts',
    'while annotators think, it rejects with the reason and publishes nothing, whatever they answer',
  ],
  // Ids, and the event loop
  [
    'Everyone who verifies the message gets the same id',
    'tests/delivery/receipt-ids.test.ts',
    'the id of a receipt, with %s, is the one that a verifier has',
  ],
  [
    'The SDK gives way to them about every 8 ms',
    'tests/sdk/turns.test.ts',
    'calls in a loop let timers have their turn',
  ],
  [
    'A bundle still describes the bytes of its payload at the time of the call.',
    'tests/sdk/paced.test.ts',
    'each speaks about the bytes at the time of the call: %i bytes',
  ],
  [
    'A batch of 65,536 bundles is verified in parts, but returned as a whole or not at all.',
    'tests/verify/large.test.ts',
    'is refused as a whole when something was altered %s',
  ],
  // An outbox
  [
    'A call resolves when its message is on the disk.',
    OUTBOX,
    'resolves when its message is stored, and is delivered when the stream has it',
  ],
  [
    'The message is then delivered, whatever happens to the process, the network or the broker',
    'tests/outbox/kills.test.ts',
    'a publisher that is killed again and again loses nothing of what its calls resolved',
  ],
  [
    'Messages are delivered in the order of the calls.',
    OUTBOX,
    'keeps the order of the calls, however many there are, and forgets what is delivered',
  ],
  [
    'One process, page or worker has a store at a time. A second one gets STORE_LOCKED.',
    OUTBOX,
    'gives a second one of the same place a clear error, and leaves the first alone',
  ],
  [
    'With a full disk, calls reject with STORE_FAILED.',
    'tests/outbox/disk.test.ts',
    'an outbox whose disk is full rejects, loses nothing, and goes on when there is room',
  ],
  [
    'Messages that are already stored are still sent, even after a restart.',
    'tests/outbox/disk.test.ts',
    'an outbox opens on a full disk, to send what it has, and stores again when there is room',
  ],
  // When the broker rejects a stored message
  ['drops it, with an event dropped', REJECTIONS, 'is dropped with its reason, and the next ones go on'],
  ["with whenRefused: 'keep' it sends it again", REJECTIONS, 'is sent again where it is to be kept'],
  ['sets it aside, with an event setaside', SET_ASIDE, 'is reported in an event and in the log'],
  [
    'A message that is sent again goes before newer ones.',
    OUTBOX,
    'sends again what the stream rejects before anything it has not handed over, with %i at a time',
  ],
  [
    'So no message waits forever behind one that is never accepted.',
    REJECTIONS,
    'keeps none of the others back, with %i at a time',
  ],
  ['It counts in maxBytes.', SET_ASIDE, 'counts towards maxBytes until it is discarded'],
  ['Neither a restart nor maxAgeMs removes it', SET_ASIDE, 'outlasts a start, and maxAgeMs'],
  // What ends each wait
  [
    'Then the message is sent again; a late answer still counts',
    REJECTIONS,
    'may still answer late: the message counts as accepted, and is not sent once more',
  ],
  [
    'Then the message is dropped',
    'tests/outbox/rejections.test.ts',
    'is waited for no longer than maxAgeMs, and the message is dropped',
  ],
  ['maxAgeMs; never by default.', 'tests/config/defaults.test.ts', 'of an outbox is what the guide says'],
  ['streamTimeoutMs, five minutes.', 'tests/config/defaults.test.ts', 'of an outbox is what the guide says'],
  [
    'nothing: calls are stored meanwhile',
    OUTBOX,
    'stores although the stream cannot be reached, and connects it when it can',
  ],
  ['closeTimeoutMs, five seconds, for sending.', REJECTIONS, 'to %s() keeps close() no longer than it says'],
  // When the disk damages stored messages
  [
    'Each record has a checksum and a number.',
    'tests/outbox/damaged.test.ts',
    'reports a record if any byte of it was altered, and delivers the others',
  ],
  [
    'It is lost, but the messages stored with it are not.',
    ROT,
    'loses only the message that was altered, of a group that was stored together, and reports which',
  ],
  ['Each loss is reported once', ROT, 'reports once what is gone, and not at the next start'],
  [
    'its files stay unchanged',
    ROT,
    'alone in files that LevelDB cannot open are kept where they are, and the error says so',
  ],
  [
    'The search never reads it as a record of this store',
    'tests/outbox/forged.test.ts',
    'is not delivered in the place of another that is altered',
  ],
  [
    'The search takes time in proportion to the size of the files.',
    'tests/outbox/carve.test.ts',
    'take time in proportion to the length of the file, here %i bytes',
  ],
  [
    'If two processes open one damaged store at once, one repairs it and the other gets STORE_LOCKED.',
    'tests/outbox/two-openers.test.ts',
    'as processes: one has it, the other is told so; nothing is lost, or comes twice',
  ],
  [
    'the store stays unchanged for the next attempt',
    'tests/outbox/opening.test.ts',
    'says why, stays as it is, lets go of its lock, and has everything once it can be opened',
  ],
  [
    'There is only one copy, however often opening fails.',
    'tests/outbox/opening.test.ts',
    'after LevelDB has tidied up keeps what was there before, once, and names it',
  ],
  [
    'But none is deleted, and the log says so once.',
    'tests/outbox/mark.test.ts',
    'stores and delivers all the same, deletes nothing, and logs it once',
  ],
  ['A read-only file is replaced.', 'tests/outbox/mark.test.ts', 'is replaced where it cannot be written'],
  // When the broker does not accept a message
  [
    'waits, at most publishTimeoutMs',
    'tests/streams/mqtt-failures.test.ts',
    'gives up what waits for it after publishTimeoutMs',
  ],
  [
    'While no other message gets through, no message becomes STREAM_SUSPECT.',
    'tests/streams/mqtt-in-flight.test.ts',
    'finds none guilty while no other is accepted, however often it is lost',
  ],
  // Several replicas
  ['Each gets a random one', 'tests/streams/mqtt-client-id.test.ts', 'is random unless it is given'],
  [
    "clientId: 'archive-{hostname}' uses the machine's name.",
    'tests/streams/mqtt-client-id.test.ts',
    'has the name of the machine for {hostname}, each time',
  ],
  // What the broker keeps
  [
    'At the end it removes its sessions and its retained message, even after Ctrl-C.',
    'tests/doctor/traces.test.ts',
    'leaves nothing when it is stopped %s',
  ],
  [
    'The default silently drops all but 1,000 messages',
    'tests/doctor/mosquitto.test.ts',
    'says how many messages it keeps for a subscriber that is away, and so many it keeps',
  ],
  // Monitor
  [
    'The span of a call ends when its message has arrived.',
    'tests/opentelemetry/opentelemetry.test.ts',
    'ends the span when the message has arrived, not when an outbox has stored it',
  ],
  [
    'The span of a bundle ends when it is acknowledged.',
    'tests/opentelemetry/opentelemetry.test.ts',
    'makes a span for each bundle, which ends when the bundle is acknowledged',
  ],
  [
    'All errors have one class, AlvariumError.',
    'tests/packaging/commonjs.test.ts',
    'has one kind of AlvariumError with them',
  ],
])
