/** Settings, progress and result of the race. */
import { batch, computed, signal } from '@preact/signals'
import type { Trouble } from '../protocol.ts'
import type { Cell, Race, RaceSettings } from '../race.ts'
import { download } from './key.ts'
import { CallFailed, Link } from './link.ts'
import { resultOf } from './race-result.ts'

/** Settings that the visitor chose for a race in a single cell. */
export const chosen = signal<Cell & { readonly rounds: number }>({
  annotators: 5,
  payloadBytes: 20_000,
  rounds: 30,
})

/** Newest race; undefined before the first one. */
export const race = signal<Race | undefined>()
export const failure = signal<Trouble | undefined>()
export const isRacing = signal(false)
export const hasResult = computed(() => !isRacing.value && (race.value?.rounds ?? 0) > 0)

/** Both experiments of the performance report. They share one cell. */
export const SWEEP: RaceSettings = {
  cells: [
    ...[1, 3, 5, 7, 10].map((annotators) => ({ annotators, payloadBytes: 20_000 })),
    ...[100, 1000, 80_000].map((payloadBytes) => ({ annotators: 5, payloadBytes })),
  ],
  rounds: 10,
}

let racer: Link<'racer'> | undefined

export function startRace(): Promise<void> {
  const { rounds, ...cell } = chosen.value
  return run({ cells: [cell], rounds })
}

export function startSweep(): Promise<void> {
  return run(SWEEP)
}

/** Stops the race after the current measurement. */
export async function stopRace(): Promise<void> {
  await racer?.call('stop')
}

async function run(settings: RaceSettings): Promise<void> {
  if (isRacing.value) return
  batch(() => {
    isRacing.value = true
    failure.value = undefined
    race.value = undefined
  })
  let ended: Race | undefined
  try {
    ended = await openRacer().call('race', settings)
  } catch (error) {
    const code = error instanceof CallFailed ? error.code : 'INTERNAL'
    failure.value = { code, message: error instanceof Error ? error.message : String(error) }
  }
  batch(() => {
    if (ended) race.value = ended
    isRacing.value = false
  })
}

/** Returns the racer, which is started on first use. */
function openRacer(): Link<'racer'> {
  if (!racer) {
    racer = new Link('racer')
    racer.listen((update) => {
      // Ignore an update that arrives after the end of the race.
      if (isRacing.value) race.value = update
    })
  }
  return racer
}

export async function downloadResult(): Promise<void> {
  if (!race.value || !racer) return
  const result = resultOf(race.value, await racer.call('surroundings'))
  download('alvarium-race.json', JSON.stringify(result, undefined, 2), 'application/json')
}
