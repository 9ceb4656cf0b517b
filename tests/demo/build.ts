import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildPage } from '../../examples/demo/build/build.mjs'

export const MODES = ['broker', 'serverless'] as const
export type Mode = (typeof MODES)[number]

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of each build of the demo page. */
    demoPages: Record<Mode, string>
  }
}

/** Builds the demo page once per run, for all its tests, as Vitest's global set-up. */
export default async function setUp(project: TestProject) {
  const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-test-'))
  const demoPages = { broker: join(dir, 'broker'), serverless: join(dir, 'serverless') }
  for (const mode of MODES) await buildPage(demoPages[mode], mode)
  project.provide('demoPages', demoPages)
  return () => rm(dir, { recursive: true })
}
