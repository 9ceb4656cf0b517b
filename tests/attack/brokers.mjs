// The hostile brokers of tests/streams: each test is one of them, and what it may do to a subscriber.

import { byTests } from './by-tests.mjs'

/** Their memory is bounded by the tests themselves, each above what there was at first. */
export function brokers() {
  return byTests(['tests/streams/mqtt-hostile.test.ts', 'tests/streams/mqtt-memory.test.ts'])
}
