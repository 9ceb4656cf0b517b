// Who may import whom, types included: js/rooms.mjs is the list. Run by `npm test -- rooms`.

import { IN_PARTS, ROOMS } from './js/rooms.mjs'

/** What `#platform` and `#workers` lead to is compiled; the source is in the room of the same name. */
const inRoom = (room) => `^(js|dist)/${room}/`

/** The compiled WebAssembly is beside the code that calls it, and `#core`, below, loads it. */
const GENERATED = ['/generated/(inline|reference|unpack)\\.']

const rooms = Object.entries(ROOMS).map(([room, below]) => ({
  name: `${room}-stands-on-lower-floors-and-rooms-that-it-names`,
  comment: 'js/rooms.mjs lists what each room may import',
  severity: 'error',
  from: { path: inRoom(room) },
  to: { path: '^(js|dist)/', pathNot: [...[room, ...below].map(inRoom), ...GENERATED] },
}))

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...rooms,
    ...IN_PARTS.map((room) => ({
      name: `parts-of-${room}-stand-apart`,
      comment:
        'a part, a folder in such a room, imports what they share; what they share imports none of them',
      severity: 'error',
      from: { path: `^(?:js|dist)/${room}/([^/]+)` },
      to: { path: `^(js|dist)/${room}/[^/]+/`, pathNot: `^(js|dist)/${room}/$1/` },
    })),
    {
      name: 'every-room-is-on-the-list',
      severity: 'error',
      from: {
        path: '^js/([^/]+)/',
        pathNot: [...Object.keys(ROOMS), 'build', 'release', 'entries'].map((room) => `^js/${room}/`),
      },
      to: {},
    },
    {
      name: 'nothing-is-missing',
      severity: 'error',
      from: {},
      // The core is in dist/, and package/ is made only for the steps that need it.
      to: {
        couldNotResolve: true,
        path: '^\\.',
        pathNot: ['(core|algorithms)\\.wasm', '/package/\\w+/dist/'],
      },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: ['node_modules', '^dist/', '^package/', '/generated/'] },
    exclude: { path: ['^examples/demo/dist/', '^crate/', '^js/packages/'] },
  },
}
