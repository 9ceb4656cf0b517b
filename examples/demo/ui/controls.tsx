import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface ButtonProps {
  readonly onClick: () => unknown
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly isDisabled?: boolean
  readonly title?: string
  readonly children: ComponentChildren
}

export function Button({ onClick, kind = 'plain', isDisabled = false, title, children }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      disabled={isDisabled}
      title={title}
      onClick={() => onClick()}
    >
      {children}
    </button>
  )
}

interface FileProps {
  /** Subject of the choice, for screen readers. */
  readonly label: string
  readonly kind?: ButtonProps['kind']
  readonly onChoose: (file: File | undefined) => unknown
  readonly children: ComponentChildren
}

/** Shows a button that asks for a file. The same file can be chosen again after a change. */
export function FileButton({ label, kind = 'plain', onChoose, children }: FileProps) {
  return (
    <label class={`button ${kind} file`}>
      <input
        type="file"
        class="hidden"
        aria-label={label}
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
      {children}
    </label>
  )
}

interface ChoiceProps<T extends string> {
  /** Subject of the choice, for screen readers. */
  readonly label: string
  readonly options: readonly { readonly value: T; readonly text: string }[]
  readonly value: T
  readonly onChoose: (value: T) => unknown
}

/** Offers one of a few options: radio buttons that look like a row of segments. */
export function Choice<T extends string>({ label, options, value, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class={option.value === value ? 'chosen' : ''}>
          <input
            type="radio"
            name={label}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          {option.text}
        </label>
      ))}
    </fieldset>
  )
}

type BoundProps<T extends string> = Pick<ChoiceProps<T>, 'label' | 'options'> & { readonly chosen: Signal<T> }

/** Offers a choice that is stored only in a signal. */
export function BoundChoice<T extends string>({ chosen, ...props }: BoundProps<T>) {
  return (
    <Choice
      {...props}
      value={chosen.value}
      onChoose={(value) => {
        chosen.value = value
      }}
    />
  )
}

/** Shows an annotator's yes or no by a mark and a text, not only by colour. */
export function Answer({ kind, isSatisfied }: { readonly kind: string; readonly isSatisfied: boolean }) {
  return (
    <span class={`answer ${isSatisfied ? 'yes' : 'no'}`}>
      <span aria-hidden="true">{isSatisfied ? '✓' : '✗'}</span> {kind}
      <span class="hidden">{isSatisfied ? ' satisfied' : ' not satisfied'}</span>
    </span>
  )
}

/** Shows an error: its code, and the text that names the field. */
export function Problem({ code, message }: { readonly code: string; readonly message: string }) {
  return (
    <p class="problem" role="alert">
      <code>{code}</code> {message}
    </p>
  )
}
