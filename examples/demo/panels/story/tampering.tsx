import { signal } from '@preact/signals'
import { change, load } from '../../state/editing.ts'
import {
  hops,
  isGenuine,
  LIES,
  type Lie,
  lie,
  noticed,
  readingOf,
  received,
  restore,
  tamper,
} from '../../state/journey.ts'
import { payload } from '../../state/tool.ts'
import { Button, Choice } from '../../ui/controls.tsx'
import { bringIntoView } from '../../ui/panel.tsx'
import { Room } from '../../ui/room.tsx'
import { shownAs } from '../../ui/text.ts'
import { reasonOf, stepOf } from '../verify/checking.ts'

const NAMES: Record<Lie, string> = { reading: 'the reading', answer: 'an answer', signer: 'the signer' }

const chosen = signal<Lie>('reading')

export function Tampering() {
  const isAltered = lie.value !== undefined
  return (
    <div class="tampering">
      <div class="tampering-act">
        <Button
          kind={isAltered ? 'plain' : 'danger'}
          isDisabled={hops.value.length === 0}
          onClick={isAltered ? restore : start}
        >
          {isAltered ? 'Undo' : 'Tamper'}
        </Button>
        <Choice
          label="What is altered"
          options={LIES.map((value) => ({ value, text: NAMES[value] }))}
          value={chosen.value}
          onChoose={(value) => {
            chosen.value = value
            if (lie.peek() !== undefined) start()
          }}
        />
      </div>
      <div class="tampering-words">
        <Room longest={ROOM_TEXT}>
          {isAltered ? (
            <Noticed />
          ) : (
            <p class="quiet">Change it between gateway and service, as anyone on the path could.</p>
          )}
        </Room>
      </div>
    </div>
  )
}

const FLIP_TEXT = 'One of the gateway’s answers was flipped from yes to no.'
const INSPECT = 'Inspect the message'
const ROOM_TEXT = (
  <>
    <p class="tampering-verdict">✗ Signature {FLIP_TEXT}</p>
    <p class="small">
      {reasonOf('SIGNATURE_INVALID', ['isSatisfied'])} <code>SIGNATURE_INVALID</code>{' '}
      <span class="button quiet">{INSPECT}</span>
    </p>
  </>
)

function start(): Promise<void> {
  return tamper(chosen.peek())
}

function Noticed() {
  const { value } = noticed
  if (!value) return <p>The verifier has noticed nothing.</p>
  const step = stepOf(value.code)
  return (
    <>
      <p class="tampering-verdict">
        <strong>✗ {step?.name ?? value.code}</strong> {what()}
      </p>
      <p class="small">
        {reasonOf(value.code, lie.value === 'answer' ? ['isSatisfied'] : [])} <code>{value.code}</code>{' '}
        <Button kind="quiet" onClick={show}>
          {INSPECT}
        </Button>
      </p>
    </>
  )
}

/** Describes the alteration in the attacker's words. */
function what(): string {
  const gateway = hops.value[1]
  if (!gateway || !received.value) return ''
  if (lie.value === 'answer') return FLIP_TEXT
  if (lie.value === 'signer') return 'It names another signer.'
  const [before, after] = [gateway.payload, received.value.payload].map((bytes) => readingOf(bytes).celsius)
  return `${before?.toFixed(1)} °C became ${after?.toFixed(1)} °C.`
}

/** Opens the altered message in the tool, next to the gateway's original. */
function show(): void {
  const gateway = hops.peek()[1]
  const altered = received.peek()
  if (!gateway || !altered) return
  load({
    name: 'gateway’s message',
    text: shownAs(gateway.message),
    payload: gateway.payload,
    keys: '',
    hasVerified: isGenuine.peek(),
  })
  change(shownAs(altered.message))
  payload.value = altered.payload
  bringIntoView('verify')
}
