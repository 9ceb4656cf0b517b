import { esm, typeScript } from './programs.mjs'

const packages = { typescript: '5.9.3', '@types/node': '20.19.43' }
const config = (compilerOptions) =>
  JSON.stringify({ compilerOptions: { strict: true, target: 'es2022', lib: ['es2022'], ...compilerOptions } })

/** Returns a project that is compiled and run: its types must resolve and match, and the output must work. */
const compiled = (name, compilerOptions, more = {}) => ({
  name,
  packages,
  files: { 'main.ts': typeScript(), 'tsconfig.json': config({ types: ['node'], ...compilerOptions }) },
  build: [['npx', 'tsc']],
  run: { program: process.execPath, args: ['main.js'] },
  ...more,
})
/** A project that has the types of neither the DOM nor Node. */
const withoutTypes = {
  files: {
    'main.mts': `declare const process: { env: Record<string, string> }\n${esm()}`,
    'job.d.mts': 'export function job(given: object): Promise<Record<string, string>>',
    'tsconfig.json': config({ types: [], module: 'nodenext', skipLibCheck: true }),
  },
  run: { program: process.execPath, args: ['main.mjs'] },
}

/** @type {import('../environment.mjs').Environment[]} */
export const typescript = [
  compiled('TypeScript nodenext, CommonJS', { module: 'nodenext' }, { short: true }),
  compiled('TypeScript nodenext, ES modules, lib es2022 alone', {}, withoutTypes),
  {
    name: 'ts-node',
    packages: { ...packages, 'ts-node': '10.9.2' },
    // Without a tsconfig.json, ts-node runs nothing with this version of TypeScript.
    files: { 'main.ts': typeScript(), 'tsconfig.json': config({ module: 'nodenext', types: ['node'] }) },
    run: { program: 'npx', args: ['ts-node', 'main.ts'] },
  },
  {
    name: 'tsx, ES modules',
    packages: { tsx: '4.23.15' },
    files: { 'main.mts': esm() },
    run: { program: 'npx', args: ['tsx', 'main.mts'] },
  },
  {
    name: 'tsx, CommonJS',
    packages: { tsx: '4.23.15' },
    files: { 'main.ts': typeScript() },
    run: { program: 'npx', args: ['tsx', 'main.ts'] },
    short: true,
  },
]
