/** Acts of a visitor on the message in the Verify tool: opens it, alters it, sends it on, and says whom to trust. */
import { batch, effect } from '@preact/signals'
import { trustedIn } from '../key-list.ts'
import type { Value } from '../panels/verify/leaves.ts'
import { haveMuchInCommon } from '../panels/verify/marked.ts'
import { type Member, membersOf, withMember } from '../panels/verify/members.ts'
import type { Verdict } from '../protocol.ts'
import { bytesIn, shownAs } from '../ui/text.ts'
import { trustedKeys } from './key.ts'
import { offer } from './offer.ts'
import { newestKey, payloadOf } from './payloads.ts'
import type { Linked } from './permalink.ts'
import {
  isComparable,
  isTooLong,
  keys,
  type Loaded,
  linkedKeys,
  loaded,
  NOTHING,
  payload,
  problem,
  sent,
  strangers,
  text,
} from './tool.ts'
import { troubleIn } from './trouble.ts'
import { pickedAt, pickedVerdict, verdicts } from './verdicts.ts'
import { maker } from './workers.ts'

/** Puts a message into the tool, as it came. */
export function load(next: Loaded): void {
  batch(() => {
    loaded.value = next
    pickedAt.value = next.at
    pickedVerdict.value = next.at === undefined ? undefined : pickedVerdict.peek()
    isComparable.value = next.hasVerified ?? false
    offer.value = undefined
    keys.value = next.keys
    undoAll()
  })
}

/** Has the message checked against this payload, as the one that it came with. */
export function attach(own: Uint8Array<ArrayBuffer>): void {
  batch(() => {
    loaded.value = { ...loaded.peek(), payload: own }
    payload.value = own
  })
}

/** Trusts one more public key: the others are those in the field for keys, or else this page's own. */
export function trustKey(key: string): void {
  const others = keys.peek().trim() || trustedKeys.peek().join('\n')
  trust(`${others}\n${key.trim()}`.trim())
}

/** Has messages checked by what a file says: a trust policy in the place of what there was, or leases as well. */
export function trustBy(text: string): void {
  const given = trustedIn(text)
  keys.value = given.policy === undefined ? `${keys.peek().trim()}\n${given.leases.join('\n')}`.trim() : text
}

/** Puts what a link carries into the tool. */
export function loadLinked({ message, payload, keys }: Linked): void {
  linkedKeys.value = keys
  load({ name: 'linked message', text: message, payload, keys })
}

/** Notes that the reader knows whose the keys are. */
export function vouch(): void {
  batch(() => {
    linkedKeys.value = ''
    strangers.value = new Set()
  })
}

/** Shows this one of the messages that have come. */
export function pick(verdict: Verdict): void {
  const shown = shownAs(verdict.message)
  pickedVerdict.value = verdict
  load({
    name: `message ${verdict.at}`,
    text: shown,
    payload: payloadOf(payloadKeyIn(shown)),
    keys: '',
    hasVerified: 'bundle' in verdict,
    at: verdict.at,
  })
}

/** Returns the payload key of a bundle's JSON; of any other text, an empty string. */
function payloadKeyIn(json: string): string {
  return String(membersOf(json).find(({ path }) => path === 'content.key')?.value ?? '')
}

/** Takes what the visitor writes in the field. With hardly anything of the message before left, it is another message. */
export function write(next: string): void {
  if (isTooLong('Message', next.length)) return
  if (text.peek() === '' || (next !== '' && !haveMuchInCommon(text.peek(), next)))
    load({ ...NOTHING, name: 'your message', text: next, keys: keys.peek(), isWritten: true })
  change(next)
}

/** Alters the message that is there. Of base64, one flipped answer may change most. */
export function change(next: string): void {
  if (isTooLong('Message', next.length)) return
  problem.value = ''
  const { isWritten } = loaded.peek()
  if (isWritten && !isComparable.peek()) loaded.value = { ...loaded.peek(), text: next }
  text.value = next
  sent.value = undefined
}

/** Takes whom to trust, as the visitor writes it. */
export function trust(next: string): void {
  if (isTooLong('Public keys to trust', next.length)) return
  problem.value = ''
  keys.value = next
}

/** Alters a field. */
export function alter(member: Member, value: Value): void {
  change(withMember(text.peek(), member, value))
}

/** Brings the genuine message back. */
export function undoAll(): void {
  batch(() => {
    text.value = loaded.peek().text
    payload.value = loaded.peek().payload
    sent.value = undefined
  })
}

/** Publishes the message as it is, as anyone at the broker could. */
export async function sendOn(): Promise<void> {
  const now = text.peek()
  const isStill = () => sent.peek()?.text === now
  sent.value = { text: now, isAccepted: false }
  try {
    await maker.call('send', bytesIn(now))
    if (isStill()) sent.value = { text: now, isAccepted: true }
  } catch (error) {
    if (isStill()) sent.value = { text: now, isAccepted: false, trouble: troubleIn(error) }
  }
}

/** Other panels pick by number. */
effect(() => {
  const { value } = pickedAt
  if (value === undefined || loaded.peek().at === value) return
  const verdict = verdicts.peek().find(({ at }) => at === value)
  if (verdict) pick(verdict)
})

/** A message can be verified, and picked, before its call has ended: its payload is known a moment later. */
effect(() => {
  const payload = payloadOf(newestKey.value)
  const { at, payload: has, text } = loaded.peek()
  if (payload && !has && at !== undefined && payloadKeyIn(text) === newestKey.peek()) attach(payload)
})
