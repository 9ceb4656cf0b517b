// Layers ("floors") of js/, and the folders ("rooms") of each layer, both from the bottom up. A folder may
// import from all lower layers, and from the folders that its array names, types included. `npm test --
// rooms` checks this (.dependency-cruiser.mjs).

export const FLOORS = {
  foundation: {
    platform: [],
    base: ['platform'],
    model: [],
    modules: ['base'],
    core: ['modules', 'model', 'platform', 'base'],
    algorithms: ['modules', 'core', 'base'],
  },
  signing: {
    sources: [],
    keys: [],
    annotators: ['keys'],
    artifacts: ['annotators'],
    seal: ['keys'],
  },
  transport: { codecs: [], streams: [], http: [], doctor: ['streams'] },
  verifying: {
    verify: [],
    classic: [],
    consume: ['classic', 'verify'],
    score: ['verify', 'classic'],
  },
  sdk: {
    delivery: [],
    config: [],
    instance: ['config', 'delivery'],
    subscribe: [],
    pool: [],
    opentelemetry: ['config', 'delivery'],
  },
  evidence: {
    logs: [],
    witness: ['logs'],
    trust: ['witness', 'logs'],
    sets: [],
    records: ['sets'],
    completeness: ['witness', 'logs'],
    packs: ['completeness', 'sets', 'trust', 'witness', 'logs'],
  },
  store: {},
  cli: {},
}

/** Folders below js/, each with the folders that it may import from. A layer may be a single folder. */
export const ROOMS = Object.fromEntries(
  Object.entries(FLOORS).flatMap(([floor, rooms], at) => {
    const lower = Object.keys(FLOORS).slice(0, at)
    const isRoom = Object.keys(rooms).length === 0
    if (isRoom) return [[floor, lower]]
    return Object.entries(rooms).map(([room, others]) => [
      `${floor}/${room}`,
      [...lower, ...others.map((other) => `${floor}/${other}`)],
    ])
  }),
)

/** Folders with independent subfolders: no subfolder imports from another. */
export const IN_PARTS = ['transport/streams', 'sdk/config']
