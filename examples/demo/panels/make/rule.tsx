import { fieldOf, OPERATORS, type Rule, satisfies } from '../../rule.ts'
import { editRule, rule } from '../../state/asked.ts'
import { draftBytes } from '../../state/draft.ts'
import { Answer } from '../../ui/controls.tsx'

/** The visitor's own annotator, built from three parts and tried out on the draft as it is typed. */
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

/** What the rule says about the draft, now. */
function Trial() {
  const found = fieldOf(draftBytes.value, rule.value.path)
  return (
    <output class="trial">
      <Answer kind={rule.value.kind} isSatisfied={satisfies(draftBytes.value, rule.value)} />
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
        spellcheck={false}
        autocomplete="off"
        maxLength={name === 'kind' ? 40 : 200}
        {...(list && { list: 'rule-fields' })}
        onInput={({ currentTarget }) => change(name, currentTarget.value)}
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

/** Names that the SDK has for itself, and none at all, are not taken over. */
function change(name: PartProps['name'], value: string): void {
  const isTaken = ['', 'signal', 'src', 'tls', 'pki'].includes(value.trim())
  if (name !== 'kind' || !isTaken) editRule({ [name]: value })
}

function operatorOf(text: string): Rule['operator'] {
  return OPERATORS.find((one) => one === text) ?? '='
}

/** The fields that the payload has, to choose from. */
function fieldsOf(payload: Uint8Array): string[] {
  if (payload.length > 100_000) return []
  try {
    return Object.keys(JSON.parse(new TextDecoder().decode(payload)))
  } catch {
    return []
  }
}
