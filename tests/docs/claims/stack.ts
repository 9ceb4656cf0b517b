import { claimsOf } from './page.js'

const TESTS = 'tests/examples/stack.test.ts'

export const STACK = [
  ...claimsOf('examples/README.md', [
    [
      'Mosquitto keeps what it acknowledges.',
      TESTS,
      'has the settings of Mosquitto that the guide has for production',
    ],
    ['the ports are open to your machine only', TESTS, 'opens its ports to this machine only'],
    ['has the roles of the database', TESTS, 'has the roles and the rights that the guide has for a store'],
  ]),
  ...claimsOf('examples/guide/limits.md', [
    [
      'All numbers of this page are made from the code, and a test compares them with it.',
      'tests/docs/limits.test.ts',
      'is what the code makes: node examples/guide/build/limits.mjs',
    ],
  ]),
  ...claimsOf('examples/guide/production.md', [
    [
      'These are rules for Prometheus, with the names of prometheus.mjs.',
      'tests/guide/production.test.ts',
      'has alerts for Prometheus on figures that the example serves, of an SDK with an outbox',
    ],
  ]),
]
