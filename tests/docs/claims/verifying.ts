import { claimsOf } from './page.js'

const HANDING_OVER = 'tests/consume/handing-over.test.ts'
const GROUPS = 'tests/consume/groups.test.ts'
const JUDGE = 'tests/judge/confidence.test.ts'

export const VERIFYING = claimsOf('examples/guide/verifying.md', [
  [
    'The id of a bundle is the same wherever it comes from: alone, in a batch or extracted from one.',
    'tests/verify/ids.test.ts',
    'is the same in a batch and taken out of it: %o',
  ],
  [
    'Every signature is judged separately, even if many are verified together.',
    'tests/verify/verify-many.test.ts',
    'names each bad one among good ones, wherever it stands',
  ],
  // Score payloads
  [
    'A score is the weight of the satisfied annotations over the weight of all.',
    JUDGE,
    'is the weight of its satisfied annotations over the weight of all',
  ],
  [
    'A bundle that comes twice counts once.',
    JUDGE,
    'counts a bundle once that was delivered twice, also one without annotations',
  ],
  [
    'A payload is found by its hash and its payload key',
    JUDGE,
    'keeps payloads apart that have one key by different hashes',
  ],
  [
    'it scores 0 without a yes of each, or with a no',
    JUDGE,
    'is 0 if a required kind was not satisfied, or has no answer',
  ],
  [
    'If it said yes and no, the no counts',
    JUDGE,
    'counts a signer once for each kind, and its no, if the policy says so',
  ],
  // Subscribing
  [
    'The subscription reconnects automatically.',
    'tests/streams/mqtt-receive.test.ts',
    'subscribes again when the broker comes back',
  ],
  [
    'Nothing is lost when a subscriber is killed',
    'tests/consume/kills.test.ts',
    'a subscriber that is killed again and again loses nothing, and with dedup has nothing twice',
  ],
  [
    'A bundle is acknowledged when the loop asks for the next one.',
    'tests/consume/consumer.test.ts',
    'is acknowledged when the loop asks for what comes after the last of its bundles',
  ],
  [
    "With ack: 'manual', call bundle.ack(), in any order.",
    HANDING_OVER,
    'bundles are given until `prefetch` are in hand, and acknowledged in any order',
  ],
  [
    'Bundles that are not acknowledged are redelivered.',
    'tests/consume/leaving.test.ts',
    'break leaves the bundle in hand to the broker, unless it was acknowledged',
  ],
  [
    'it remembers the id of each processed bundle',
    HANDING_OVER,
    'a bundle that is published twice is given once, alone or in a batch',
  ],
  [
    'up to 100,000 of them for an hour',
    'tests/config/defaults.test.ts',
    'of a subscription is what the guide says',
  ],
  [
    'manual: the loop acknowledges each bundle itself. bundle.nack() has a bundle redelivered',
    HANDING_OVER,
    'has a bundle come again, with `dup`',
  ],
  [
    'a stream that gets each message that does not verify, before the message is acknowledged',
    HANDING_OVER,
    'what does not verify goes there, before it is acknowledged',
  ],
  [
    'close() leaves the group once everything that has come is done',
    'tests/consume/leaving.test.ts',
    'a member that leaves its group loses nothing of what the broker has sent to it (durable: %s)',
  ],
  [
    'how long close() waits for the bundles that the loop is processing',
    'tests/consume/leaving.test.ts',
    'close() waits no longer than closeTimeoutMs for a loop that does not finish',
  ],
  [
    'A store has 10 s (timeoutMs) for each answer',
    'tests/config/defaults.test.ts',
    'of a subscription is what the guide says',
  ],
  [
    'deadLetterTimeoutMs | 60000',
    'tests/config/defaults.test.ts',
    'of a subscription is what the guide says',
  ],
  ['prefetch | 64', 'tests/streams/mqtt-parts.test.ts', 'are what their docstrings say, to receive'],
  [
    'This loop writes each bundle into a table exactly once',
    'tests/guide/blocks.test.ts',
    '$name runs as it is pasted, and prints what it says',
  ],
  // In groups
  [
    'A group has at most max bundles',
    'tests/consume/groups.test.ts',
    'has no more bundles than `max`, and all are delivered, in order, each in one group',
  ],
  [
    'at most max bundles (256), and waits at most maxMs (100)',
    'tests/config/defaults.test.ts',
    'of groups is what the guide says',
  ],
  [
    'waits at most maxMs (100) after the first has come',
    GROUPS,
    'is delivered when it is full, or when its first bundle has waited for `maxMs`',
  ],
  [
    'With hasAll in the store of dedup, it also makes only one query',
    'tests/consume/groups-dedup.test.ts',
    'there is one query for a group, and one statement',
  ],
  [
    'A group that cannot grow is delivered at once.',
    GROUPS,
    'does not wait for more messages than `prefetch` allows',
  ],
  [
    'group.nack() has the whole group redelivered, except bundles on which you already called ack() or nack().',
    GROUPS,
    'leaves each bundle as its own ack() or nack() settled it before',
  ],
  [
    'After break, or an error in the loop, the current group is not acknowledged, and is redelivered.',
    GROUPS,
    'that is left leaves its group to the broker',
  ],
  [
    'It is acknowledged with the last of its bundles.',
    GROUPS,
    'groups have parts, and it is acknowledged when all of them are settled',
  ],
])

export const JUDGING = claimsOf('examples/guide/judging.md', [
  [
    'The verdict goes by all of them',
    'tests/judge/verdict.test.ts',
    'goes by all inputs of a payload, each by its own hash and key',
  ],
  [
    "so the score is 'unknown', unless something else already makes it 0",
    'tests/judge/verdict.test.ts',
    'is unknown where a sealed set is among the inputs, near or far, and 0 where that is bad enough',
  ],
  [
    'so 10,000 means that everything that counts was satisfied.',
    'tests/judge/verdict.test.ts',
    'is 10,000 where all that counts is satisfied, whatever is said of weight 0',
  ],
  [
    'A payload about which no one has said anything scores 0.',
    'tests/judge/verdict.test.ts',
    'scores 0 where nobody has said anything',
  ],
  [
    'A no counts in full. With 0, neither is heard',
    'tests/judge/verdict.test.ts',
    'does not hear whom the policy does not trust at all, neither its no nor the yes that is required',
  ],
  [
    'If it said yes and no, the no counts.',
    'tests/judge/verdict.test.ts',
    'counts a signer once for each kind, host and layer, and its no',
  ],
  [
    'canonical JSON (RFC 8785), with the defaults written out',
    'tests/judge/policy.test.ts',
    'has the same digest however it is written',
  ],
])
