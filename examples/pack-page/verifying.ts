// What the page does: one pack at a time, over as many workers as there are cores.

import { signal } from '@preact/signals'
import { type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { pool } from 'alvarium-sdk/pool'
import workerText from 'alvarium-sdk/pool/worker?raw'
import { readTrust } from 'alvarium-sdk/trust'
import { Keyring } from 'alvarium-sdk/verify'

/** What there is to see. */
export type State =
  | { readonly is: 'empty' }
  | { readonly is: 'verifying'; readonly name: string; readonly share: number }
  | { readonly is: 'verified'; readonly name: string; readonly pack: VerifiedPack; readonly seconds: number }
  | { readonly is: 'failed'; readonly name: string; readonly why: string }

export const state = signal<State>({ is: 'empty' })
/** What the reader has pasted: public keys, one on each line, or a trust policy. Nothing: the pack's own policy counts. */
export const trusted = signal('')

let running: AbortController | undefined
let workers: ReturnType<typeof pool> | undefined

/** A page from a file may start no worker from another file: they are started from their text. */
function started(): ReturnType<typeof pool> {
  const url = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }))
  const count = Math.max(1, Math.min(16, navigator.hardwareConcurrency))
  return pool({ workers: count, worker: () => new Worker(url) })
}

/** Verifies a file, in the place of one that is still being verified. */
export async function verifyFile(file: File): Promise<void> {
  running?.abort()
  const own = new AbortController()
  running = own
  const { name } = file
  const begun = performance.now()
  const show = (next: State) => {
    if (running === own) state.value = next
  }
  show({ is: 'verifying', name, share: 0 })
  try {
    workers ??= started()
    const keyring = await keyringIn(trusted.value)
    const onProgress = ({ bytes }: { readonly bytes: number }) =>
      show({ is: 'verifying', name, share: bytes / file.size })
    const pack = await verifyPack(file, { keyring, pool: await workers, signal: own.signal, onProgress })
    show({ is: 'verified', name, pack, seconds: (performance.now() - begun) / 1000 })
  } catch (error) {
    show({ is: 'failed', name, why: error instanceof Error ? error.message : String(error) })
  }
}

/** A trust policy is an object, in JSON or YAML; keys are a line each, or PEM. */
async function keyringIn(text: string) {
  const given = text.trim()
  if (given === '') return undefined
  if (/^\{|^signers:/m.test(given)) return readTrust(given)
  return new Keyring(given.includes('-----BEGIN') ? [given] : given.split(/\s*\n\s*/))
}
