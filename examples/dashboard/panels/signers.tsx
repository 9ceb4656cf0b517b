import { Empty, Panel } from '../../demo/ui/panel.tsx'
import { count, short, size } from '../../demo/ui/text.ts'
import type { Heard } from '../api.ts'
import { askedAt, signers, stats } from '../state.ts'

/** Silence in milliseconds after which a person should check the signer. */
const SILENT_MS = 2 * 3_600_000

/** Shows when signers were last heard: at most 50, the longest silent first. */
export function SignersPanel() {
  return (
    <Panel
      id="signers"
      title="Signers"
      lead="When each was last heard: the 50 silent the longest, longest first."
    >
      {signers.value?.length ? (
        <ul class="heard">
          {signers.value.map((one) => (
            <Signer key={one.signer} heard={one} />
          ))}
        </ul>
      ) : (
        <Empty title={signers.value ? 'No signer yet' : 'Not known yet'} />
      )}
    </Panel>
  )
}

function Signer({ heard: { signer, signedBy, host, timestamp, receivedAt } }: { readonly heard: Heard }) {
  const age = askedAt.value - (receivedAt ?? Date.parse(timestamp))
  const isSilent = age > SILENT_MS
  return (
    <li>
      <span title={signer}>{signedBy ?? <code>{short(signer)}</code>}</span>
      <span class="quiet">on {host}</span>
      <span class={`age numbers ${isSilent ? 'silent' : ''}`}>
        {isSilent && 'silent for '}
        {ageOf(age)}
        {!isSilent && ' ago'}
      </span>
    </li>
  )
}

/** Returns the time of a signer's last message; undefined unless it is over {@link SILENT_MS} ago. */
export function silentSince(signer: string): string | undefined {
  const heard = signers.value?.find((one) => one.signer === signer)
  const last = heard && (heard.receivedAt ?? Date.parse(heard.timestamp))
  if (last === undefined || askedAt.value - last <= SILENT_MS) return undefined
  return new Date(last).toISOString()
}

function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} days`
}

/** Shows the number of quarantined messages by error code. The store omits them from all answers. */
export function QuarantinePanel() {
  const { quarantined, quarantinedBytes = 0 } = stats.value ?? {}
  return (
    <Panel id="quarantine" title="Quarantined" lead="Messages excluded from all answers, by reason.">
      {quarantined?.length ? (
        <>
          <ul class="heard">
            {quarantined.map(({ code, messages }) => (
              <li key={code}>
                <code>{code}</code>
                <span class="age numbers">{count(messages)}</span>
              </li>
            ))}
          </ul>
          <p class="quiet small">
            {size(quarantinedBytes)}. <code>alvarium store retry</code> tries them again, with more keys.
          </p>
        </>
      ) : (
        <Empty title={quarantined ? 'Nothing' : 'Not known yet'}>
          {quarantined && 'Every message was verified.'}
        </Empty>
      )}
    </Panel>
  )
}
