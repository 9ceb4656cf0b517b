// Runs the tests of hostile brokers in tests/streams: one test for each broker's attack on a subscriber.

import { byTests } from './by-tests.mjs'

/** Runs them without a memory bound: each test has its own, relative to its start. */
export function brokers() {
  return byTests(['tests/streams/mqtt-hostile.test.ts', 'tests/streams/mqtt-memory.test.ts'])
}
