/** Making annotations, and what the maker says about it. */
import { batch, computed, effect, signal } from '@preact/signals'
import type { Connection, Flow, Live, MakerUpdate, Trouble, Verdict } from '../protocol.ts'
import { areEqual } from '../ui/bytes.ts'
import { draft, draftBytes, lastPayload } from './draft.ts'
import { CallFailed } from './link.ts'
import { rememberPayload } from './payloads.ts'
import { verdicts } from './verdicts.ts'
import { maker } from './workers.ts'

/** The maker's connection: what the header and the queue panel show. */
export const makerConnection = signal<Connection>({ state: 'connecting' })

/** The call that the Flow panel shows: the newest of the visitor's own, or a sample of the sensor's. */
export const flow = signal<Flow | undefined>(undefined)

/** Exact counts since the page was opened; `perSecond` over the last second. */
export const made = signal({ accepted: 0, failed: 0, perSecond: 0 })

/** What waits for the stream: see `state/queue.ts`. */
export const waiting = signal<MakerUpdate['waiting']>({
  ...{ calls: 0, bytes: 0, refused: 0, out: 0 },
  isKept: true,
})

/** Whether the visitor has cut the connection. */
export const isCut = signal(false)

/** Whether the simulated sensor is on. */
export const isLive = signal(false)

/** Why the newest call failed, as long as none has succeeded since. */
export const makingTrouble = signal<Trouble | undefined>(undefined)

/** The newest of the visitor's own calls that was accepted, and what the verifier said of its message once that had come back. */
export const receipt = signal<{ readonly flow: Flow; readonly verdict?: Verdict | undefined } | undefined>(
  undefined,
)

effect(() => {
  const { value } = receipt
  if (!value || value.verdict) return
  const verdict = verdicts.value.find(({ message }) => areEqual(message, value.flow.message))
  if (verdict) receipt.value = { ...value, verdict }
})

/** The newest of the visitor's own calls. */
export const lastAction = signal<Flow['action']>('create')

/** The visitor's own calls that have not been accepted yet. */
export const underWay = signal(0)

/** Whether to wait before the next call. With the broker away nobody has to: calls gather in the queue. */
export const isBusy = computed(() => underWay.value > 0 && makerConnection.value.state === 'online')

maker.listen((update: MakerUpdate) => {
  batch(() => {
    const { accepted, failed, perSecond } = update
    made.value = { accepted, failed, perSecond }
    waiting.value = update.waiting
    isCut.value = update.isCut
    makerConnection.value = update.connection
    isLive.value = update.isLive
    if (update.flow) flow.value = update.flow
    makingTrouble.value = update.trouble
  })
})

/** Makes a call about the draft; with `mutate`, from the last payload. What goes wrong is in {@link makingTrouble}. */
export async function annotate(action: Flow['action']): Promise<void> {
  const payload = draftBytes.value?.slice()
  if (!payload) return
  const name = nameOfDraft()
  const previousPayload = action === 'mutate' ? lastPayload.value?.slice() : undefined
  underWay.value++
  lastAction.value = action
  try {
    const transfer = [payload.buffer, ...(previousPayload ? [previousPayload.buffer] : [])]
    const done = await maker.call(
      'annotate',
      { action, payload, ...(previousPayload && { previousPayload }) },
      transfer,
    )
    batch(() => {
      rememberPayload(done.bundle.key, done.payload, name)
      lastPayload.value = done.payload
      flow.value = done
      receipt.value = { flow: done }
    })
  } catch (error) {
    makingTrouble.value = troubleIn(error)
  } finally {
    underWay.value--
  }
}

/** Returns the name of the file, the frame or the reading. */
function nameOfDraft(): string | undefined {
  const { value } = draft
  return value?.from === 'text' ? undefined : value?.name
}

export async function startLive(live: Live): Promise<void> {
  try {
    await maker.call('startLive', live)
  } catch (error) {
    makingTrouble.value = troubleIn(error)
  }
}

export async function stopLive(): Promise<void> {
  await maker.call('stopLive')
}

/** Simulates an outage, or ends it. */
export async function cut(isCut: boolean): Promise<void> {
  await maker.call('cut', isCut)
}

function troubleIn(error: unknown): Trouble {
  if (error instanceof CallFailed) return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: String(error) }
}
