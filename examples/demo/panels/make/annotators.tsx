import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { ask, asked, isRuleTicked, rule, ruleProblem } from '../../state/asked.ts'
import { hasBroker } from '../../state/place.ts'
import { RuleBuilder } from './rule.tsx'

export function Annotators() {
  const { src, tls, pki } = asked.value
  return (
    <div class="block">
      <div class="block-head">
        <h3>Annotators</h3>
        <span class="quiet">each answers yes or no, and is signed either way</span>
      </div>
      <div class="checks">
        <Check kind="src" isOn={src} onChange={(src) => ask({ src })}>
          This host handled the payload. Always yes: what counts is who signed it.
        </Check>
        <Check kind="tls" isOn={tls} onChange={(tls) => ask({ tls })}>
          The page came over HTTPS. {tlsHint()}
        </Check>
        <Check kind="pki" isOn={pki} onChange={(pki) => ask({ pki })}>
          The payload has its own signature, made with this private key. No for any other payload.
        </Check>
        <Check
          kind={rule.value.kind || 'rule'}
          isOn={isRuleTicked.value}
          onChange={(isOn) => ask({ rule: isOn })}
        >
          Your own check, on a field of the payload.
          {ruleProblem.value && ' Not asked as long as it has no name of its own.'}
        </Check>
      </div>
      <RuleBuilder />
    </div>
  )
}

function tlsHint(): string {
  if (location.protocol === 'https:') return 'Yes here.'
  const broker = hasBroker ? ', and messages go to a broker over plain ws://' : ''
  return `Not here: this is ${location.protocol}//${broker}. An honest no is worth more than a hopeful yes.`
}

interface CheckProps {
  readonly kind: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => unknown
  readonly children: ComponentChildren
}

function Check({ kind, isOn, onChange, children }: CheckProps) {
  const described = useId()
  return (
    <label class={`check ${isOn ? 'on' : ''}`}>
      <input
        type="checkbox"
        aria-label={kind}
        aria-describedby={described}
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        <code>{kind}</code>
        <span class="check-text" id={described}>
          {children}
        </span>
      </span>
    </label>
  )
}
