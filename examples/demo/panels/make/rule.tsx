import { fieldOf, OPERATORS, type Rule, satisfies } from '../../rule.ts'
import { editRule, rule, ruleProblem } from '../../state/asked.ts'
import { draftBytes } from '../../state/draft.ts'
import { Answer } from '../../ui/controls.tsx'

/** Edits the visitor's own annotator, built from three parts, and tests it on the draft during typing. */
export function RuleBuilder() {
  const { kind, path, operator, value } = rule.value
  return (
    <fieldset class="rule">
      <legend>Your own annotator</legend>
      <Part name="kind" label="Name" value={kind} />
      <Part name="path" label="Field" value={path} list={fieldsOf(draftBytes.value)} />
      <label>
        Operator
        <select
          value={operator}
          onChange={({ currentTarget }) => editRule({ operator: operatorOf(currentTarget.value) })}
        >
          {OPERATORS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {operator !== 'exists' && <Part name="value" label="Value" value={value} />}
      <Trial />
    </fieldset>
  )
}

function Trial() {
  if (ruleProblem.value)
    return <p class="absent">{ruleProblem.value} Choose another name: until then it is not asked.</p>
  const bytes = draftBytes.value ?? new Uint8Array()
  const found = fieldOf(bytes, rule.value.path)
  return (
    <output class="trial">
      <Answer kind={rule.value.kind} isSatisfied={satisfies(bytes, rule.value)} />
      <span class="quiet">
        {found === undefined
          ? 'no such field in this payload'
          : `${rule.value.path} is ${JSON.stringify(found)}`}
      </span>
    </output>
  )
}

interface PartProps {
  readonly name: 'kind' | 'path' | 'value'
  readonly label: string
  readonly value: string
  readonly list?: readonly string[]
}

function Part({ name, label, value, list }: PartProps) {
  return (
    <label>
      {label}
      <input
        type="text"
        value={value}
        aria-invalid={name === 'kind' && ruleProblem.value !== undefined}
        spellcheck={false}
        autocomplete="off"
        maxLength={name === 'kind' ? 40 : 200}
        {...(list && { list: 'rule-fields' })}
        onInput={({ currentTarget }) => editRule({ [name]: currentTarget.value })}
      />
      {list && (
        <datalist id="rule-fields">
          {list.map((field) => (
            <option key={field} value={field} />
          ))}
        </datalist>
      )}
    </label>
  )
}

function operatorOf(text: string): Rule['operator'] {
  return OPERATORS.find((one) => one === text) ?? '='
}

function fieldsOf(payload: Uint8Array | undefined): string[] {
  if (!payload || payload.length > 100_000) return []
  try {
    return Object.keys(JSON.parse(new TextDecoder().decode(payload)))
  } catch {
    return []
  }
}
