import { esm, html, IN_NODE, IN_PAGE, NO_POOL } from './programs.mjs'

const REACT = { react: '19.3.1', 'react-dom': '19.3.1' }
const NEXT = { next: '16.4.6', ...REACT }
/** The last version that builds with webpack by default. */
const NEXT_15 = { next: '15.5.29', ...REACT }
const layout = `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>
}
`
/** A client component, which runs only in the browser after hydration. */
const client = `'use client'
import { useEffect } from 'react'
${esm({
  broker: IN_PAGE,
  job: '../job.mjs',
  around: (call) => `export default function Page() {
  useEffect(() => { ${call} }, [])
  return <p>matrix</p>
}`,
})}`
const route = (exported, pool) =>
  esm({
    broker: IN_NODE,
    job: '../../job.mjs',
    around: (call) => `${exported}
export async function GET() {
  return Response.json(await ${call})
}`,
    ...pool,
  })
const showsRoute = `'use client'
import { useEffect } from 'react'
export default function Page() {
  useEffect(() => {
    fetch('/job').then((answer) => answer.text()).then((text) => console.log('MATRIX ' + text))
  }, [])
  return <p>matrix</p>
}
`
/** Middleware that answers in place of a route. */
const middleware = `import * as sdk from 'alvarium-sdk'
import { NextResponse } from 'next/server'
import { job } from './job.mjs'

export const config = { matcher: '/job' }
export async function middleware() {
  return NextResponse.json(await job({ sdk, broker: ${IN_NODE} }))
}
`
const EXTERNAL = "export default { serverExternalPackages: ['alvarium-sdk'] }\n"
const WITHOUT_AT_EDGE = { pool: 'the edge runtime has no workers', publish: 'nor what mqtt.js needs' }
const next = (name, files, packages = NEXT) => ({
  name,
  packages,
  files: { 'app/layout.jsx': layout, ...files },
  build: [['npx', 'next', 'build']],
  serve: { program: 'npx', args: ['next', 'start', '--hostname=127.0.0.1', '--port=0'] },
})
const WORKER = `import * as sdk from 'alvarium-sdk'
import { job } from './job.mjs'

export default {
  async fetch(request) {
    return Response.json(await job({ sdk, broker: new URL(request.url).searchParams.get('broker') }))
  },
}
`
const MINIFLARE = `import { Miniflare } from 'miniflare'

const worker = new Miniflare({
  modules: true,
  scriptPath: 'dist/worker.js',
  modulesRules: [{ type: 'CompiledWasm', include: ['**/*.wasm'] }],
  compatibilityDate: '2026-04-01',
})
const answer = await worker.dispatchFetch('http://localhost/?broker=' + encodeURIComponent(process.env.BROKER))
console.log('MATRIX ' + (await answer.text()))
await worker.dispose()
`

const ANGULAR_PACKAGES = {
  '@angular/build': '21.2.27',
  '@angular/cli': '21.2.27',
  '@angular/common': '21.2.26',
  '@angular/compiler': '21.2.26',
  '@angular/compiler-cli': '21.2.26',
  '@angular/core': '21.2.26',
  '@angular/platform-browser': '21.2.26',
  rxjs: '7.8.2',
  tslib: '2.8.1',
  typescript: '5.9.3',
}
/** A project of `ng new --minimal`: the builder of Angular, which is esbuild, and Vite as its server. */
const ANGULAR = {
  'angular.json': JSON.stringify({
    version: 1,
    cli: { analytics: false },
    projects: {
      matrix: {
        projectType: 'application',
        root: '',
        sourceRoot: 'src',
        architect: {
          build: {
            builder: '@angular/build:application',
            options: { browser: 'src/main.ts', index: 'src/index.html', tsConfig: 'tsconfig.json' },
          },
          serve: { builder: '@angular/build:dev-server', options: { buildTarget: 'matrix:build' } },
        },
      },
    },
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'ES2022',
      module: 'preserve',
      moduleResolution: 'bundler',
      strict: true,
      allowJs: true,
      experimentalDecorators: true,
      skipLibCheck: true,
      types: [],
    },
    files: ['src/main.ts'],
  }),
  'src/index.html': html('<app-root></app-root>'),
  'src/main.ts': `import { Component } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'
${esm({
  broker: `${IN_PAGE} ?? ''`,
  job: '../job.mjs',
  around: (call) => `@Component({ selector: 'app-root', template: 'matrix' })
class App {
  constructor() { ${call} }
}
bootstrapApplication(App)`,
})}`,
}

/** @type {import('../environment.mjs').Environment[]} */
export const frameworks = [
  {
    name: 'Angular 21, ng serve',
    packages: ANGULAR_PACKAGES,
    files: ANGULAR,
    serve: { program: 'npx', args: ['ng', 'serve', '--host=127.0.0.1', '--port=0'] },
  },
  next('Next.js with Turbopack, client component', { 'app/page.jsx': client }),
  next('Next.js with Turbopack, route handler', {
    'app/page.jsx': showsRoute,
    'app/job/route.js': route("export const dynamic = 'force-dynamic'"),
    'next.config.mjs': EXTERNAL,
  }),
  {
    ...next('Next.js with Turbopack, edge runtime', {
      'app/page.jsx': showsRoute,
      'app/job/route.js': route("export const runtime = 'edge'", { pool: NO_POOL }),
    }),
    without: WITHOUT_AT_EDGE,
  },
  {
    ...next(
      'Next.js 15 with webpack, middleware',
      { 'app/page.jsx': showsRoute, 'middleware.js': middleware },
      NEXT_15,
    ),
    without: WITHOUT_AT_EDGE,
  },
  next(
    'Next.js 15 with webpack, route handler',
    {
      'app/page.jsx': showsRoute,
      'app/job/route.js': route("export const dynamic = 'force-dynamic'"),
      'next.config.mjs': EXTERNAL,
    },
    NEXT_15,
  ),
  {
    name: 'Cloudflare Workers (workerd)',
    packages: { esbuild: '0.28.2', miniflare: '4.20260426.0' },
    files: { 'worker.mjs': WORKER, 'main.mjs': MINIFLARE },
    build: [
      [
        ...['npx', 'esbuild', 'worker.mjs', '--bundle', '--format=esm', '--outfile=dist/worker.js'],
        ...['--conditions=workerd,worker,browser', '--loader:.wasm=copy'],
      ],
    ],
    run: { program: process.execPath, args: ['main.mjs'] },
    without: { pool: 'workerd has no workers of its own' },
  },
]
