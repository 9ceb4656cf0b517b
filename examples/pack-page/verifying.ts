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
  /** What is refused: the pack, or what the reader has pasted. */
  | { readonly is: 'failed'; readonly what: string; readonly why: string }

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
  let what = 'What you trust'
  show({ is: 'verifying', name, share: 0 })
  try {
    const keyring = await keyringIn(trusted.value)
    what = name
    workers ??= started()
    const onProgress = ({ bytes }: { readonly bytes: number }) =>
      show({ is: 'verifying', name, share: bytes / file.size })
    const pack = await verifyPack(file, { keyring, pool: await workers, signal: own.signal, onProgress })
    show({ is: 'verified', name, pack, seconds: (performance.now() - begun) / 1000 })
  } catch (error) {
    show({ is: 'failed', what, why: error instanceof Error ? error.message : String(error) })
  }
}

/** A PEM block, a JWK, or a line. */
const KEY = /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----|\{[^{}]*\}|\S.*/g

/** A trust policy says who signs, in JSON or YAML; a set of JWKs is one too. */
async function keyringIn(text: string) {
  if (text.trim() === '') return undefined
  // With an end of line: a text of one line could be the path of a file.
  if (/^\s*signers\s*:|"(signers|keys)"\s*:/m.test(text)) return readTrust(`${text}\n`)
  return new Keyring((text.match(KEY) ?? []).map((key) => key.trim()))
}
