import { signal } from '@preact/signals'
import { fieldsOf } from '../../identity.ts'
import { BoundChoice } from '../../ui/controls.tsx'
import { hex } from '../../ui/text.ts'

const VIEWS = [
  { value: 'fields', text: 'Fields' },
  { value: 'text', text: 'Text' },
  { value: 'hex', text: 'Hex' },
] as const

const view = signal<(typeof VIEWS)[number]['value']>('fields')

export function IdentityView({ identity }: { readonly identity: Uint8Array }) {
  return (
    <div class="identity">
      <BoundChoice label="Show identity bytes as" options={VIEWS} chosen={view} />
      {view.value === 'fields' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable with the keyboard
        <section class="fields-box" aria-label="Fields that are signed" tabIndex={0}>
          <Fields identity={identity} />
        </section>
      )}
      {view.value === 'text' && <pre class="bytes">{visible(identity)}</pre>}
      {view.value === 'hex' && <pre class="bytes">{hex(identity).replace(/(..)(?=.)/g, '$1 ')}</pre>}
    </div>
  )
}

/** Shows a table of the signed fields: the start and the value of each. */
function Fields({ identity }: { readonly identity: Uint8Array }) {
  return (
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">at</th>
          <th scope="col">field</th>
          <th scope="col">value</th>
        </tr>
      </thead>
      <tbody>
        {fieldsOf(identity).map(({ name, offset, text }) => (
          <tr key={offset}>
            <td class="numbers">{offset}</td>
            <th scope="row">{name}</th>
            <td>
              <code>{text || '(empty)'}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Returns the bytes as text, with symbols for bytes without a glyph: the lengths before the texts. */
function visible(identity: Uint8Array): string {
  const text = new TextDecoder().decode(identity)
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 32 ? String.fromCodePoint(0x2400 + code) : character
  }).join('')
}
