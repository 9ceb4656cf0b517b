// The rooms of js/, from the ground up: each may import from those that it names, types included, and from nothing
// else of ours. `npm test -- rooms` holds the code to it (.dependency-cruiser.mjs), and CONTRIBUTING.md shows it.

export const ROOMS = {
  platform: [],
  base: ['platform'],
  model: [],
  core: ['model', 'platform', 'base'],
  algorithms: ['core', 'base'],
  modules: ['algorithms', 'core'],
  keys: ['algorithms', 'core', 'model', 'platform', 'base'],
  annotators: ['keys', 'algorithms', 'model', 'platform', 'base'],
  artifacts: ['annotators', 'base'],
  http: ['annotators', 'keys', 'base'],
  codecs: ['core', 'base'],
  streams: ['model', 'platform', 'base'],
  doctor: ['streams', 'platform', 'base'],
  seal: ['keys', 'algorithms', 'core', 'model', 'platform', 'base'],
  trust: ['keys', 'core', 'model', 'base'],
  verify: ['codecs', 'keys', 'algorithms', 'core', 'model', 'base'],
  classic: ['codecs', 'keys', 'core', 'model', 'platform', 'base'],
  judge: ['verify', 'classic', 'model', 'base'],
  delivery: ['streams', 'seal', 'codecs', 'annotators', 'core', 'model', 'base'],
  consume: ['classic', 'verify', 'streams', 'codecs', 'keys', 'platform', 'base'],
  pool: ['verify', 'seal', 'keys', 'algorithms', 'core', 'model', 'platform', 'base'],
  completeness: ['verify', 'streams', 'seal', 'codecs', 'keys', 'core', 'model', 'base'],
  config: [
    'classic',
    'streams',
    'seal',
    'codecs',
    'http',
    'artifacts',
    'annotators',
    'keys',
    'core',
    'model',
    'platform',
    'base',
  ],
  opentelemetry: ['config', 'consume', 'classic', 'delivery', 'streams', 'base'],
  cli: ['config', 'completeness', 'judge', 'trust', 'classic', 'streams', 'keys', 'core', 'model', 'base'],
}

/** Rooms whose folders are parts that stand side by side: none imports from another. */
export const IN_PARTS = ['streams', 'config']
