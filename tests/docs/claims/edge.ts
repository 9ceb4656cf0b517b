import { claimsOf } from './page.js'

const IN_NODE = 'tests/guide/edge.test.ts'
const IN_WORKERD = 'tests/packaging/workerd.test.ts'
const PASTED = 'tests/packaging/workerd-guide.test.ts'
const BYTES = 'the Lambda handler annotates the bytes that were sent: of text, in base64, and of no body'
const BATCH = 'bring a batch of a queue to a broker, over one connection'

/** Functions of clouds, and what differs there. */
export const EDGE = [
  ...claimsOf('examples/guide/edge.md', [
    ['once a call has resolved, the SDK holds nothing that could be lost', IN_NODE, BYTES],
    ['By default it is empty in Workers.', IN_WORKERD, 'has no host of its own there'],
    ['the handler decodes: the payload is the bytes that were sent', IN_NODE, BYTES],
    [
      'What does not verify is then redelivered',
      IN_NODE,
      'the Lambda handler of the queue fails the messages that do not verify, and logs the others',
    ],
    [
      'An SDK with mqtt that is kept for the next request hangs there, and Cloudflare cancels that request.',
      IN_WORKERD,
      'hangs in the second request with a connection of the first, and the runtime ends that request',
    ],
    ['Connect from the consumer of a queue instead, once for a whole batch', PASTED, BATCH],
    [
      'The next call connects again before it resolves.',
      'tests/guide/frozen.test.ts',
      'a call of an instance that was frozen connects again, when the broker has closed its connection',
    ],
    ['is 51 kB of gzip', PASTED, 'weigh what the guide says'],
  ]),
]
