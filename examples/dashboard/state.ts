/**
 * State of the page. Polls the store's `stats` every few seconds. After new bundles, requests the figures and the
 * selected payload again. In addition, requests the figures every minute, and the payload when the user selects another
 * payload or direction. Undefined means unknown or not loaded yet.
 */
import { batch, computed, effect, type Signal, signal } from '@preact/signals'
import {
  type About,
  type Answers,
  ask,
  type Bundle,
  type Heard,
  type Lineage,
  type MissingPage,
  type Page,
  type PayloadName,
  type Stats,
  Trouble,
  type Verdict,
} from './api.ts'

const DAY = 86_400_000
const POLL_MS = 3_000
/** Milliseconds after which figures are requested again, even if there are no new bundles. */
const FIGURES_MS = 60_000
/** Milliseconds between requests for missing messages. The store reads all messages for each request. */
const MISSING_MS = 60_000
const LONGEST_MISSING_MS = 600_000
/** Maximum number of payloads in the drawing of a lineage. */
const MOST_DRAWN = 60
const MOST_NEWEST = 12

export const stats = signal<Stats | undefined>(undefined)
export const newest = signal<readonly Bundle[]>([])
export const answers = signal<Answers | undefined>(undefined)
export const signers = signal<readonly Heard[] | undefined>(undefined)
export const missing = signal<MissingPage | undefined>(undefined)
export const missingTrouble = signal<Trouble | undefined>(undefined)
/** Errors of the store's figures and of the selected payload. One may persist after the other is gone. */
export const trouble = signal<Trouble | undefined>(undefined)
export const payloadTrouble = signal<Trouble | undefined>(undefined)
/** Time of the last answer to `stats` in milliseconds since 1970. The page shows ages relative to it. */
export const askedAt = signal(Date.now())

export const picked = signal<PayloadName | undefined>(pickedIn(location.hash))
export const direction = signal<'up' | 'down'>('up')
export const about = signal<About | undefined>(undefined)
export const verdict = signal<Verdict | undefined>(undefined)
export const history = signal<readonly Bundle[]>([])
export const lineage = signal<Lineage | undefined>(undefined)

const bundles = computed(() => stats.value?.bundles)

export function start(): void {
  addEventListener('hashchange', () => {
    picked.value = pickedIn(location.hash) ?? picked.value
  })
  effect(() => {
    if (picked.value) forget()
  })
  effect(() => {
    if (direction.value) lineage.value = undefined
  })
  effect(() => {
    const [{ value }, way] = [picked, direction.value]
    if (value && bundles.value !== undefined) void askPayload(value, way)
  })
  void poll()
  void pollMissing()
}

export function pick({ key, hash }: PayloadName): void {
  location.hash = new URLSearchParams({ key, hash }).toString()
}

/** Number of bundles, and time in milliseconds since 1970, at the last request for figures. */
let figured = { bundles: -1, at: 0 }

async function poll(): Promise<void> {
  await told(trouble, async () => {
    const next = await ask<Stats>('stats')
    const now = Date.now()
    batch(() => {
      stats.value = next
      askedAt.value = now
    })
    if (next.bundles === figured.bundles && Math.abs(now - figured.at) < FIGURES_MS) return
    await askFigures(next.bundles, now)
    figured = { bundles: next.bundles, at: now }
  })
  setTimeout(poll, POLL_MS)
}

async function pollMissing(): Promise<void> {
  await told(missingTrouble, async () => {
    missing.value = await ask<MissingPage>('missing', { limit: 50 }, LONGEST_MISSING_MS)
  })
  setTimeout(pollMissing, MISSING_MS)
}

/** Requests all figures. Shows each one even if another request fails. */
async function askFigures(count: number, now: number): Promise<void> {
  // Prunings occupy positions, too, so the response may contain more than MOST_NEWEST bundles.
  const last = count > MOST_NEWEST ? { after: count - MOST_NEWEST - 1 } : {}
  await Promise.all([
    ask<Page>('bundles', { from: '1970-01-01T00:00:00Z', limit: 1_000, ...last }).then((page) => {
      newest.value = page.bundles.slice(-MOST_NEWEST).reverse()
      picked.value ??= newest.value[0]
    }),
    ask<Answers>('answers', { from: new Date(now - DAY).toISOString() }).then((given) => {
      answers.value = given
    }),
    ask<{ signers: Heard[] }>('signers', { limit: 50 }).then((heard) => {
      signers.value = heard.signers
    }),
  ])
}

function forget(): void {
  batch(() => {
    for (const known of [about, verdict, lineage, payloadTrouble]) known.value = undefined
    history.value = []
  })
}

let asked = 0

/** Requests the selected payload. Ignores the answers to earlier requests, in whatever order they arrive. */
async function askPayload({ key, hash }: PayloadName, way: 'up' | 'down'): Promise<void> {
  const name = { key, hash }
  const own = ++asked
  const isNewest = () => own === asked
  await told(
    payloadTrouble,
    async () => {
      const [known, scored, page, relatives] = await Promise.all([
        ask<About>('payload', name),
        ask<Verdict>('payload/score', name),
        ask<Page>('payload/history', { ...name, limit: 50 }),
        ask<Lineage>('payload/lineage', { ...name, direction: way, limit: MOST_DRAWN }),
      ])
      if (!isNewest()) return
      batch(() => {
        about.value = known
        verdict.value = scored
        history.value = page.bundles
        lineage.value = relatives
      })
    },
    isNewest,
  )
}

async function told(
  trouble: Signal<Trouble | undefined>,
  run: () => Promise<void>,
  isWanted = () => true,
): Promise<void> {
  const found = await run().then(
    () => undefined,
    (error) => (error instanceof Trouble ? error : new Trouble('INTERNAL', String(error))),
  )
  if (isWanted()) trouble.value = found
}

function pickedIn(hash: string): PayloadName | undefined {
  const query = new URLSearchParams(hash.slice(1))
  const key = query.get('key')
  return key === null ? undefined : { key, hash: query.get('hash') ?? 'sha256' }
}
