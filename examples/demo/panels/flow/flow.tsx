import type { Flow } from '../../protocol.ts'
import { flow, isLive } from '../../state/making.ts'
import { Answer } from '../../ui/controls.tsx'
import { Empty, Panel } from '../../ui/panel.tsx'
import { count, hex, micros, size, utf8 } from '../../ui/text.ts'
import { IdentityView } from './identity.tsx'
import { MessageView } from './message.tsx'
import { Step } from './step.tsx'

/** Shows one call step by step, with the bytes that each step makes. */
export function FlowPanel() {
  const { value } = flow
  return (
    <Panel
      id="flow"
      title="Flow"
      lead="What one call does, byte by byte."
      aside={
        isLive.value && value ? <p class="quiet">four samples a second of the sensor’s calls</p> : undefined
      }
    >
      {value ? (
        <Steps flow={value} />
      ) : (
        <Empty title="No call yet">Create something, and watch what it becomes.</Empty>
      )}
    </Panel>
  )
}

/**
 * Shows the steps. The list's Preact key is the signature, so that a new call renders the list anew. While
 * the sensor is on, the list stays.
 */
function Steps({ flow }: { readonly flow: Flow }) {
  const { bundle, payload, identity, signature, message } = flow
  return (
    <>
      <ol class={`steps ${isLive.value ? 'live' : ''}`} key={isLive.value ? 'live' : signature}>
        <Step name="Payload" bytes={payload.length}>
          <pre class="bytes short">{preview(payload)}</pre>
        </Step>
        <Step
          name="Hash"
          note="SHA-256: the payload key, all that others learn of the payload"
          timing={flow.hashing}
        >
          <pre class="bytes">{bundle.key}</pre>
        </Step>
        <Step name="Annotators" note="each asked in turn">
          <ul class="asked">
            {bundle.annotations.map(({ id, kind, isSatisfied }, n) => (
              <li key={id}>
                <Answer kind={kind} isSatisfied={isSatisfied} />
                <span class="quiet numbers">{micros(flow.asking[n]?.micros ?? 0)}</span>
              </li>
            ))}
          </ul>
        </Step>
        <Step name="Identity bytes" bytes={identity.length} note="exactly what is signed">
          <IdentityView identity={identity} />
        </Step>
        <Step
          name="Signature"
          bytes={signature.length / 2}
          note="Ed25519, once for all answers"
          timing={flow.signing}
        >
          <pre class="bytes">{signature}</pre>
        </Step>
        <Step name="Message" bytes={message.length} note={`${bundle.action}, as it was published`}>
          <MessageView message={message} />
        </Step>
      </ol>
      <Real flow={flow} />
    </>
  )
}

/** Shows the times of the real call; those of its steps are measured separately. */
function Real({ flow: { sealing, accepting, warm } }: { readonly flow: Flow }) {
  return (
    <p class="real">
      <span>
        The call itself: <b>{micros(sealing.micros)}</b> in the SDK, <b>{micros(accepting.micros)}</b> until
        the message was accepted. Once warm, the same call takes <b class="warm">{micros(warm.micros)}</b> in
        the SDK: the mean of {count(warm.runs)} more.
      </span>
      <span class="quiet">
        Times of single steps are measured on their own, many runs after the call: clocks in browsers are too
        coarse for one. Signing there includes reading the signing key, which the call does not.
      </span>
    </p>
  )
}

const PREVIEW_BYTES = 400

function preview(payload: Uint8Array): string {
  const text = payload.length > PREVIEW_BYTES ? undefined : utf8(payload)
  if (text !== undefined) return text
  const head = payload.subarray(0, 96)
  return `${utf8(payload.subarray(0, PREVIEW_BYTES)) ?? hex(head)}… (${size(payload.length)} in all)`
}
