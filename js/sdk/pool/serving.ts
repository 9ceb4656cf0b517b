// Answers the pool's requests in a worker, as soon as this module is loaded. The first request contains the
// core, the WebAssembly module that signs and verifies.

import { isBytes } from '../../foundation/base/errors.js'
import { useCore } from '../../foundation/core/use-core.js'
import { parentThread } from '../../foundation/platform/parent-thread.js'
import { openSealer, openVerifier } from './contexts.js'
import type { JobRequest, Results, Setup, WorkerReply, WorkerRequest } from './protocol.js'

const parent = parentThread()
const sealers = new Map<number, ReturnType<typeof openSealer>>()
const verifiers = new Map<number, ReturnType<typeof openVerifier>>()
const post = (reply: WorkerReply, transfer: readonly ArrayBuffer[] = []) => parent.post(reply, transfer)

parent.listen((data) => {
  const request = data as WorkerRequest
  if (request.type === 'seal') answer(request, contextOf(sealers, request).seal(request))
  else if (request.type === 'verify') answer(request, contextOf(verifiers, request).verify(request))
  else if (request.type === 'core') start(request.module)
  else if (request.type === 'open') open(request.context, request.setup)
  else if (request.type === 'free') free(request.context)
  else if (request.type === 'close') close()
  else throw new Error('worker: expected a known request')
})

function start(module: WebAssembly.Module): void {
  useCore(module)
  post({ type: 'ready' })
}

function open(context: number, setup: Setup): void {
  if ('signingKey' in setup) sealers.set(context, openSealer(setup))
  else verifiers.set(context, openVerifier(setup))
}

function answer({ job }: JobRequest, results: Results): void {
  post({ type: 'results', job, results }, isBytes(results) ? [results.buffer] : [])
}

function free(context: number): void {
  for (const open of [sealers, verifiers]) {
    open.get(context)?.free()
    open.delete(context)
  }
}

function close(): void {
  for (const open of [sealers, verifiers]) for (const context of open.keys()) free(context)
  post({ type: 'closed' })
}

function contextOf<T>(all: ReadonlyMap<number, T>, { context }: JobRequest): T {
  const opened = all.get(context)
  if (!opened) throw new Error(`worker: expected a context that is open, got ${context}`)
  return opened
}
