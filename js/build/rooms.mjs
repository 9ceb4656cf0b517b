// The rooms of js/, from the ground up: each may import from those that it names, types included, and from nothing
// else of ours. `npm test -- rooms` holds the code to it (.dependency-cruiser.mjs), and CONTRIBUTING.md shows it.

export const ROOMS = {
  base: [],
  model: [],
  platform: [],
  diagnostics: ['platform', 'model', 'base'],
  core: ['base'],
  algorithms: ['core', 'base'],
  hashing: ['core', 'model', 'platform', 'base'],
  keys: ['algorithms', 'core', 'model', 'platform', 'base'],
  annotators: ['keys', 'algorithms', 'model', 'platform', 'base'],
  codecs: ['core', 'base'],
  streams: ['diagnostics', 'platform', 'base'],
  outbox: ['streams', 'base'],
  seal: ['keys', 'hashing', 'algorithms', 'core', 'model', 'platform', 'base'],
  verify: ['codecs', 'keys', 'hashing', 'algorithms', 'core', 'model', 'base'],
  classic: ['codecs', 'keys', 'hashing', 'core', 'model', 'platform', 'base'],
  delivery: ['streams', 'seal', 'codecs', 'annotators', 'hashing', 'diagnostics', 'model', 'base'],
  consume: ['verify', 'streams', 'codecs', 'keys', 'diagnostics', 'platform', 'base'],
  pool: ['verify', 'seal', 'hashing', 'keys', 'algorithms', 'core', 'model', 'platform', 'base'],
  config: ['streams', 'seal', 'codecs', 'annotators', 'keys', 'model', 'base'],
  opentelemetry: ['config', 'consume', 'delivery', 'streams', 'base'],
}
