// Verifies one evidence pack at a time, with one worker per core, at most 16.

import { signal } from '@preact/signals'
import { type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { pool } from 'alvarium-sdk/pool'
import workerText from 'alvarium-sdk/pool/worker?raw'
import { readTrust } from 'alvarium-sdk/trust'
import { AlvariumError, Keyring, type Outcome, outcomeOfCode } from 'alvarium-sdk/verify'

export type State =
  | { readonly is: 'empty' }
  | { readonly is: 'verifying'; readonly name: string; readonly share: number }
  | { readonly is: 'verified'; readonly name: string; readonly pack: VerifiedPack; readonly seconds: number }
  /** Failure to read a file as a pack, or to read pasted text as keys or a trust policy. */
  | { readonly is: 'failed'; readonly outcome: Outcome; readonly what: string; readonly why: string }

export const state = signal<State>({ is: 'empty' })
/** Pasted public keys, each on its own lines, or a trust policy. If empty, a pack can at most be consistent. */
export const trusted = signal('')

let running: AbortController | undefined
/** File that was opened last. It is verified again when the pasted text changes. */
let current: File | undefined
let waiting: ReturnType<typeof setTimeout> | undefined
/** Milliseconds without a keystroke after which typing counts as finished. */
const TYPING_MS = 300
/** Milliseconds that the old verdict stays visible while a file is verified again. Small packs need less. */
const SHORT_MS = 500

/** Sets the pasted keys or policy, and verifies the current file with them. */
export function trust(text: string): void {
  trusted.value = text
  clearTimeout(waiting)
  const file = current
  if (file) waiting = setTimeout(() => void verifyFile(file, SHORT_MS), TYPING_MS)
}
let workers: ReturnType<typeof pool> | undefined

/** Starts the workers from a text, because a page opened from disk may not start workers from other files. */
function started(): ReturnType<typeof pool> {
  const url = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }))
  const count = Math.max(1, Math.min(16, navigator.hardwareConcurrency))
  return pool({ workers: count, worker: () => new Worker(url) })
}

/** Verifies a file, and cancels the previous one. @param patienceMs - milliseconds without a progress bar */
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

/** Pattern of a key: a PEM block, a JWK, or a line. */
const KEY = /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----|\{[^{}]*\}|\S.*/g

/** Parses keys, or a trust policy in JSON or YAML. A JSON Web Key Set counts as a policy. */
async function keyringIn(text: string) {
  if (text.trim() === '') return undefined
  // Add a line break, because `readTrust` takes a text of one line for the path of a file.
  if (/^\s*signers\s*:|"(signers|keys)"\s*:/m.test(text)) return readTrust(`${text}\n`)
  return new Keyring((text.match(KEY) ?? []).map((key) => key.trim()))
}
