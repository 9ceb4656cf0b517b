import { bundlers } from './bundlers.mjs'
import { frameworks } from './frameworks.mjs'
import { managers } from './managers.mjs'
import { pages } from './pages.mjs'
import { runtimes } from './runtimes.mjs'
import { testRunners } from './test-runners.mjs'
import { typescript } from './typescript.mjs'

/** Every environment, in the order of the table. */
export const ENVIRONMENTS = [
  ...runtimes,
  ...typescript,
  ...testRunners,
  ...bundlers,
  ...frameworks,
  ...pages,
  ...managers,
]

/** The rows of the table in examples/guide/runtimes.md, with the names of their environments. */
export const GUIDE_ROWS = {
  'Node ≥ 20.19': /^Node/,
  'Deno, Bun': /^(Deno|Bun)/,
  TypeScript: /^(TypeScript|ts-node|tsx)/,
  'Jest, Vitest': /^(Jest|Vitest)/,
  'Vite, webpack, Rspack, Rollup, esbuild, `bun build`, @vercel/nft':
    /^(Vite \d|webpack|Rspack|Rollup|esbuild|bun build|files traced)/,
  Parcel: /^Parcel/,
  Metro: /^Metro/,
  'Next.js 16 with Turbopack, 15 with webpack': /^Next/,
  'Angular 21': /^Angular 21/,
  'Cloudflare Workers': /^Cloudflare/,
  'Chromium, Firefox': /^(Chromium|Firefox|strict|Trusted)/,
  'service and shared workers, in one file or with `importScripts`':
    /^(service worker|shared worker|background of an extension)/,
  'pages without a bundler': /^(script tag|import map|content script)/,
  "npm, pnpm, Yarn 1, Yarn Plug'n'Play": /^(pnpm|Yarn)/,
}
