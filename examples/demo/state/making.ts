/** Makes annotations, and holds the maker's state. */
import { batch, computed, effect, signal } from '@preact/signals'
import type { Connection, Flow, Live, MakerUpdate, Trouble, Verdict } from '../protocol.ts'
import { areEqual } from '../ui/bytes.ts'
import { draft, draftBytes, lastPayload } from './draft.ts'
import { CallFailed } from './link.ts'
import { rememberPayload } from './payloads.ts'
import { verdicts } from './verdicts.ts'
import { maker } from './workers.ts'

/** Connection of the maker, shown in the header and the queue panel. */
export const makerConnection = signal<Connection>({ state: 'connecting' })

/** Call that the Flow panel shows: the visitor's newest, or a sample of the sensor's. */
export const flow = signal<Flow | undefined>(undefined)

/** Exact counts since the page was opened. `perSecond` covers the last second. */
export const made = signal({ accepted: 0, failed: 0, perSecond: 0 })

export const waiting = signal<MakerUpdate['waiting']>({
  calls: 0,
  bytes: 0,
  refused: 0,
  out: 0,
  isKept: true,
})

/** True if the visitor has cut the connection. */
export const isCut = signal(false)

/** True if the simulated sensor is on. */
export const isLive = signal(false)

/** Reason why the newest call failed; undefined after a success. */
export const makingTrouble = signal<Trouble | undefined>(undefined)

/** Newest accepted call of the visitor, with the verdict on its message, which arrives later. */
export const receipt = signal<{ readonly flow: Flow; readonly verdict?: Verdict | undefined } | undefined>(
  undefined,
)

effect(() => {
  const { value } = receipt
  if (!value || value.verdict) return
  const verdict = verdicts.value.find(({ message }) => areEqual(message, value.flow.message))
  if (verdict) receipt.value = { ...value, verdict }
})

export const lastAction = signal<Flow['action']>('create')

/** Number of the visitor's calls that are not accepted yet. */
export const underWay = signal(0)

/** True if the next call must wait for the current one. Without a connection, calls are queued instead. */
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

/** Makes a call about the draft; `mutate` starts from the last payload. Sets {@link makingTrouble}. */
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

/** Returns the name of the draft's file, frame or reading; undefined for a text. */
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

export async function cut(isCut: boolean): Promise<void> {
  await maker.call('cut', isCut)
}

function troubleIn(error: unknown): Trouble {
  if (error instanceof CallFailed) return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: String(error) }
}
