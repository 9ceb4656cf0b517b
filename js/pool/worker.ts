/**
 * What a worker runs; see js/platform for how it is started. js/build/bundles.mjs makes one file of it that imports nothing:
 * bundlers may put it anywhere, as a script or as a module. The core comes with the pool's first message.
 */

import { isBytes } from '../base/errors.js'
import { useCore } from '../core/use-core.js'
import { parentThread } from '../platform/parent-thread.js'
import { packedIn } from '../seal/packer.js'
import { type OpenContext, openContext } from './contexts.js'
import type { GroupRequest, Reply, Request } from './protocol.js'

const parent = parentThread()
const contexts = new Map<number, OpenContext>()
const post = (reply: Reply, transfer: readonly ArrayBuffer[] = []) => parent.post(reply, transfer)

parent.listen((data) => {
  const request = data as Request
  if (request.type === 'group') run(request)
  else if (request.type === 'core') start(request.module)
  else if (request.type === 'open') contexts.set(request.context, openContext(request.setup))
  else if (request.type === 'free') free(request.context)
  else if (request.type === 'close') close()
  else throw new Error('worker: expected a known request')
})

/** Where WebAssembly may not run, the pool has to hear of it before it hands out calls. */
function start(module: WebAssembly.Module): void {
  useCore(module)
  post({ type: 'ready' })
}

function run({ group, context, memory, size, length, apart }: GroupRequest): void {
  const results = contextOf(context).run(packedIn(memory, size, length), apart)
  post({ type: 'results', group, results }, isBytes(results) ? [results.buffer] : [])
}

function free(context: number): void {
  contextOf(context).free()
  contexts.delete(context)
}

function close(): void {
  for (const context of contexts.values()) context.free()
  contexts.clear()
  post({ type: 'closed' })
}

function contextOf(id: number): OpenContext {
  const context = contexts.get(id)
  if (!context) throw new Error(`worker: expected a context that is open, got ${id}`)
  return context
}
