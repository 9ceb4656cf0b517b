/** Opens all contestants for a cell. Each one has verified its own output, or states why it cannot run. */
import { type Cell, CONTESTANTS, type ContestantId, type Lane } from '../../race.ts'
import { generateKey } from '../sdk.ts'
import type { Contestant, Place, Primitives } from './contestant.ts'
import { eachContestant } from './each.ts'
import { onceContestant, onceTogether } from './once.ts'
import { openOurs } from './ours.ts'
import { webCrypto } from './webcrypto.ts'

/** Number of different payloads in a cell: at 20 kB, too many for the processor's L1 cache. */
const PAYLOADS = 64
/** Maximum number of bytes from one call of `getRandomValues`. */
const MOST_RANDOM = 65_536

export interface OpenLane {
  readonly lane: Lane
  readonly contestant?: Contestant
}

export interface OpenCell {
  readonly cell: Cell
  readonly lanes: readonly OpenLane[]
}

export interface Kit {
  readonly signingKey: Uint8Array<ArrayBuffer>
  readonly verifyingKey: Uint8Array<ArrayBuffer>
  /** WebCrypto's primitives, or the reason why they are missing. */
  readonly webCrypto: Primitives | string
  readonly noble: Primitives
}

export async function openKit(): Promise<Kit> {
  const { noble } = await import('./noble.ts')
  const made = generateKey()
  const signingKey = new Uint8Array(made.signingKey)
  const verifyingKey = new Uint8Array(made.verifyingKey)
  return { signingKey, verifyingKey, webCrypto: await webCrypto(signingKey), noble: noble(signingKey) }
}

export async function openCell(cell: Cell, kit: Kit): Promise<OpenCell> {
  const payloads = Array.from({ length: PAYLOADS }, () => randomBytes(cell.payloadBytes))
  const place: Place = { ...kit, annotators: cell.annotators, payloads }
  const lanes: OpenLane[] = []
  for (const { id } of CONTESTANTS) lanes.push(await openLane(id, place, kit))
  return { cell, lanes }
}

async function openLane(id: ContestantId, place: Place, kit: Kit): Promise<OpenLane> {
  const contestant = await openContestant(id, place, kit)
  if (typeof contestant === 'string') return { lane: { id, absent: contestant, samples: [] } }
  return { lane: { id, verified: await contestant.check(), samples: [] }, contestant }
}

async function openContestant(id: ContestantId, place: Place, kit: Kit): Promise<Contestant | string> {
  if (id === 'sdk' || id === 'sdk-together' || id === 'sdk-batch') return openOurs(id, place)
  const primitives = id.endsWith('noble') ? kit.noble : kit.webCrypto
  if (typeof primitives === 'string') return primitives
  if (id === 'once-webcrypto-together') return onceTogether(place, primitives)
  return id.startsWith('each') ? eachContestant(place, primitives) : onceContestant(place, primitives)
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += MOST_RANDOM) {
    crypto.getRandomValues(bytes.subarray(at, at + MOST_RANDOM))
  }
  return bytes
}
