// Configs in the form of the other SDKs' samples, rewritten from their members.

import { fileURLToPath } from 'node:url'
import type { ClassicDialect } from 'alvarium-sdk'

/** Key files made by the other SDKs: see tests/vectors/README.md. */
export const KEYS = fileURLToPath(new URL('../vectors/keys', import.meta.url))

const keysOf = (dialect: ClassicDialect) => ({
  public: { type: 'ed25519', path: `./${dialect}-public.key` },
  private: { type: 'ed25519', path: `./${dialect}-private.key` },
})

const mqtt = (port: number, topic: string, more: object = {}) => ({
  type: 'mqtt',
  config: {
    clientId: `${topic}-client`,
    qos: 1,
    user: '',
    password: '',
    provider: { host: '127.0.0.1', protocol: 'tcp', port },
    cleanness: false,
    topics: [topic],
    ...more,
  },
})

/** Functions that return a dialect's config, from a broker's port and a topic. */
export const SAMPLES: Readonly<Record<ClassicDialect, (port: number, topic: string) => object>> = {
  go: (port, topic) => ({
    annotators: ['tpm', 'pki'],
    layer: 'app',
    hash: { type: 'sha256' },
    signature: keysOf('go'),
    stream: mqtt(port, topic),
  }),
  java: (port, topic) => ({
    annotators: [{ kind: 'tpm' }, { kind: 'mock', shouldSatisfy: true }],
    layer: 'app',
    hash: { type: 'md5' },
    signature: { publicKey: keysOf('java').public, privateKey: keysOf('java').private },
    stream: mqtt(port, topic, { isClean: true }),
  }),
  rust: (port, topic) => ({
    annotators: ['pki', 'source', 'tls'],
    layer: 'app',
    hash: { type: 'sha256' },
    signature: {
      ...keysOf('rust'),
      public_key_stronghold: { password: 'unused', path: 'unused' },
      private_key_stronghold: { password: 'unused', path: 'unused' },
    },
    stream: mqtt(port, topic, { keepAlive: 5, boundedCap: 100 }),
    logging: { level: 'info', debug_output: 'output.log' },
  }),
  python: (port, topic) => ({
    sdk: {
      annotators: ['tpm', 'pki'],
      hash: { type: 'sha256' },
      signature: keysOf('python'),
      stream: mqtt(port, topic, { qos: 2 }),
    },
    logging: { minLogLevel: 'debug' },
  }),
}

/** Returns Go's sample in YAML. */
export const yamlOf = (port: number, topic: string) => `annotators:
  - tpm
  - pki
layer: "app"
hash:
  type: "sha256"
signature:
  public:
    type: "ed25519"
    path: "./go-public.key"
  private:
    type: "ed25519"
    path: "./go-private.key"
stream:
  type: "mqtt"
  config:
    clientId: "${topic}-client"
    qos: 1
    topics: ["${topic}"]
    provider:
      host: "127.0.0.1"
      protocol: "tcp"
      port: ${port}
`
