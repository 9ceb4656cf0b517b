/**
 * Script of every worker. The first message names the role, and the role's code is then loaded, so that all
 * workers share one download of the SDK.
 */
import type { Role } from '../protocol.ts'
import type { ToWorker } from '../wire.ts'
import { Moved, type Part, post } from './port.ts'
import { troubleOf } from './trouble.ts'

const ROLES: { readonly [R in Role]: () => Promise<Part<R>> } = {
  maker: async () => (await import('./maker.ts')).maker(),
  verifier: async () => (await import('./verifier.ts')).verifier(),
  racer: async () => (await import('./racer.ts')).racer(),
}

let part: Promise<Part<Role>> | undefined

globalThis.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'start') part = start(data.role)
  else if (data.type === 'painted') part?.then((started) => started.painted())
  else answer(data.id, data.name, data.params)
}

async function start(role: Role): Promise<Part<Role>> {
  const [part] = await Promise.all([ROLES[role](), import('./core.ts').then(({ startCore }) => startCore())])
  return part
}

async function answer(id: number, name: string, params: unknown): Promise<void> {
  try {
    const { handlers } = (await part) ?? { handlers: {} }
    const handle = (handlers as Record<string, (params: unknown) => unknown>)[name]
    if (!handle) throw new TypeError(`worker: expected a call of its role, got ${name}`)
    const result = await handle(params)
    if (result instanceof Moved) post({ type: 'result', id, result: result.value }, result.buffers)
    else post({ type: 'result', id, result })
  } catch (error) {
    post({ type: 'failed', id, trouble: troubleOf(error) })
  }
}
