/** What the page knows. It asks again when the store has more, or another payload is picked. */
import { computed, effect, type Signal, signal } from '@preact/signals'
import {
  type About,
  ask,
  type Bundle,
  type Heard,
  type Hour,
  type Lineage,
  type Missing,
  type Page,
  type PayloadName,
  type Stats,
  Trouble,
  type Verdict,
} from './api.ts'

const DAY = 86_400_000
const POLL_MS = 3_000
/** The store reads all messages of signers for it. */
const MISSING_MS = 60_000
/** Payloads of a lineage that can be drawn and looked at. */
const MOST_DRAWN = 60

export const stats = signal<Stats | undefined>(undefined)
export const newest = signal<readonly Bundle[]>([])
export const hours = signal<readonly Hour[]>([])
export const signers = signal<readonly Heard[]>([])
export const missing = signal<readonly Missing[]>([])
export const missingTrouble = signal<Trouble | undefined>(undefined)
/** What is wrong with the store, and with the question about a payload: when one is well again, the other may not be. */
export const trouble = signal<Trouble | undefined>(undefined)
export const payloadTrouble = signal<Trouble | undefined>(undefined)
/** When the figures were asked for: ages on the page are from then. */
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
    if (bundles.value !== undefined) void told(trouble, () => askFigures(bundles.value ?? 0))
  })
  effect(() => {
    const { value } = picked
    if (value && bundles.value !== undefined) {
      const way = direction.value
      void told(payloadTrouble, () => askPayload(value, way))
    }
  })
  void poll()
  void pollMissing()
}

export function pick({ key, hash }: PayloadName): void {
  location.hash = new URLSearchParams({ key, hash }).toString()
}

async function poll(): Promise<void> {
  await told(trouble, async () => {
    stats.value = await ask<Stats>('stats')
  })
  setTimeout(poll, POLL_MS)
}

async function pollMissing(): Promise<void> {
  await told(missingTrouble, async () => {
    missing.value = (await ask<{ signers: Missing[] }>('missing', { limit: 50 })).signers
  })
  setTimeout(pollMissing, MISSING_MS)
}

async function askFigures(count: number): Promise<void> {
  const now = Date.now()
  const last = count > 12 ? { after: count - 13 } : {}
  const [page, answers, heard] = await Promise.all([
    ask<Page>('bundles', { from: '1970-01-01T00:00:00Z', limit: 12, ...last }),
    ask<{ hours: Hour[] }>('answers', { from: new Date(now - DAY).toISOString() }),
    ask<{ signers: Heard[] }>('signers', { limit: 50 }),
  ])
  askedAt.value = now
  newest.value = [...page.bundles].reverse()
  hours.value = answers.hours
  signers.value = heard.signers
  picked.value ??= newest.value[0]
}

async function askPayload({ key, hash }: PayloadName, way: 'up' | 'down'): Promise<void> {
  const name = { key, hash }
  const [known, judged, page, relatives] = await Promise.all([
    ask<About>('payload', name),
    ask<Verdict>('payload/score', name),
    ask<Page>('payload/history', { ...name, limit: 50 }),
    ask<Lineage>('payload/lineage', { ...name, direction: way, limit: MOST_DRAWN }),
  ])
  // Another one may have been picked meanwhile.
  if (picked.value?.key !== key || direction.value !== way) return
  about.value = known
  verdict.value = judged
  history.value = page.bundles
  lineage.value = relatives
}

async function told(trouble: Signal<Trouble | undefined>, run: () => Promise<void>): Promise<void> {
  try {
    await run()
    trouble.value = undefined
  } catch (error) {
    trouble.value = error instanceof Trouble ? error : new Trouble('CORE_FAILED', String(error))
  }
}

function pickedIn(hash: string): PayloadName | undefined {
  const query = new URLSearchParams(hash.slice(1))
  const key = query.get('key')
  return key === null ? undefined : { key, hash: query.get('hash') ?? 'sha256' }
}
