// The floors of js/, from the ground up, and the rooms of each, in the same order. A room may import from all lower
// floors, and from the rooms of its own floor that it names, types included. `npm test -- rooms` holds the code to it
// (.dependency-cruiser.mjs).

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

/** Rooms by their folders below js/, with the folders that each may import from. A floor without rooms is one. */
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

/** Rooms whose folders are parts that stand side by side: none imports from another. */
export const IN_PARTS = ['transport/streams', 'sdk/config']
