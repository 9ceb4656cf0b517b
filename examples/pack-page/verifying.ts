// What the page does: one pack at a time, over as many workers as there are cores.

import { signal } from '@preact/signals'
import { type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { pool } from 'alvarium-sdk/pool'
import workerText from 'alvarium-sdk/pool/worker?raw'
import { readTrust } from 'alvarium-sdk/trust'
import { AlvariumError, Keyring, type Outcome, outcomeOfCode } from 'alvarium-sdk/verify'

/** What there is to see. */
export type State =
  | { readonly is: 'empty' }
  | { readonly is: 'verifying'; readonly name: string; readonly share: number }
  | { readonly is: 'verified'; readonly name: string; readonly pack: VerifiedPack; readonly seconds: number }
  /** A file that cannot be read as a pack, or text of the reader that is no key and no policy. */
  | { readonly is: 'failed'; readonly outcome: Outcome; readonly what: string; readonly why: string }

export const state = signal<State>({ is: 'empty' })
/** The text that the reader has pasted: public keys, one on each line, or a trust policy. Empty: the pack can at most be consistent with itself. */
export const trusted = signal('')

let running: AbortController | undefined
/** The file that is shown. */
let current: File | undefined
let waiting: ReturnType<typeof setTimeout> | undefined
/** Nobody types faster. */
const TYPING_MS = 300
/** Milliseconds for which the verdict by the keys before stays: a small pack is verified again by then. */
const SHORT_MS = 500

/** Takes the text of whom the reader trusts, and judges the file that is shown by it. */
export function trust(text: string): void {
  trusted.value = text
  clearTimeout(waiting)
  const file = current
  if (file) waiting = setTimeout(() => void verifyFile(file, SHORT_MS), TYPING_MS)
}
let workers: ReturnType<typeof pool> | undefined

/** A page from a file may start no worker from another file: they are started from their text. */
function started(): ReturnType<typeof pool> {
  const url = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }))
  const count = Math.max(1, Math.min(16, navigator.hardwareConcurrency))
  return pool({ workers: count, worker: () => new Worker(url) })
}

/** Verifies a file, in the place of one that is still being verified. @param patienceMs - until it is shown that this takes time */
export async function verifyFile(file: File, patienceMs = 0): Promise<void> {
  running?.abort()
  current = file
  const own = new AbortController()
  running = own
  const { name } = file
  const begun = performance.now()
  const show = (next: State) => {
    if (running === own) state.value = next
  }
  let what = 'The text about whom you trust'
  const showProgress = (share: number) => {
    if (performance.now() - begun >= patienceMs) show({ is: 'verifying', name, share })
  }
  showProgress(0)
  try {
    const keyring = await keyringIn(trusted.value)
    what = name
    workers ??= started()
    const onProgress = ({ bytes }: { readonly bytes: number }) => showProgress(bytes / file.size)
    const pack = await verifyPack(file, { keyring, pool: await workers, signal: own.signal, onProgress })
    show({ is: 'verified', name, pack, seconds: (performance.now() - begun) / 1000 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const outcome = error instanceof AlvariumError ? outcomeOfCode(error.code) : 'cannot tell'
    show({ is: 'failed', outcome, what, why })
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
