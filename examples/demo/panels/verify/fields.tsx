import { signal } from '@preact/signals'
import { alter } from '../../state/editing.ts'
import { genuine, isComparable, members } from '../../state/tool.ts'
import { Field } from './field.tsx'
import { flipped } from './flip.ts'
import type { Value } from './leaves.ts'
import type { Member } from './members.ts'

/** Maximum number of fields shown: the first ones of a large batch. */
const MOST = 60

/** True if the fields are open. They are drawn only then, because drawing them takes a while. */
const isOpen = signal(false)

/** Shows the fields in a grid that is closed at first, because the message itself can also be altered. */
export function EditFields() {
  return (
    <details
      class="edit-fields"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>Edit fields</summary>
      <div class="tamper-fields">{isOpen.value && <Fields />}</div>
    </details>
  )
}

/** Shows up to {@link MOST} fields of the message: those of the bundle, then each annotation's. */
function Fields() {
  const shown = members.value.slice(0, MOST)
  if (shown.length === 0)
    return <p class="absent">This is not JSON, so there are no fields to show. Edit the bytes themselves.</p>
  const groups = [...new Set(shown.map(groupOf))]
  return (
    <div class="tamper">
      {groups.map((group) => (
        <fieldset key={group} class={`tamper-group ${group === '' ? 'of-bundle' : 'of-annotation'}`}>
          <legend>{group === '' ? 'Message' : titleOf(group)}</legend>
          {shown
            .filter((member) => groupOf(member) === group)
            .map((member) => (
              <MemberField key={member.path} member={member} />
            ))}
        </fieldset>
      ))}
      {members.value.length > MOST && (
        <p class="quiet small">{members.value.length - MOST} more are in the message above.</p>
      )}
    </div>
  )
}

const PLACE = /(?:bundles\.(\d+)\.)?(?:(?:annotations|items)\.(\d+)\.)?[^.]*$/

/** Returns a field's bundle and annotation; empty for the message's own fields. */
function groupOf({ path }: Member): string {
  const [, bundle, annotation] = PLACE.exec(path) ?? []
  return bundle === undefined && annotation === undefined ? '' : `${bundle ?? ''} ${annotation ?? ''}`
}

function titleOf(group: string): string {
  const [bundle = '', annotation = ''] = group.split(' ')
  const names = [
    ...(bundle === '' ? [] : [`bundle ${Number(bundle) + 1}`]),
    ...(annotation === '' ? [] : [`annotation ${Number(annotation) + 1}`]),
  ].join(', ')
  return names.charAt(0).toUpperCase() + names.slice(1)
}

/** Returns a field's name with its bundle and annotation, if any: `host`, `isSatisfied of annotation 1`. */
export function fullNameOf(member: Member): string {
  const group = groupOf(member)
  const title = titleOf(group)
  return group === '' ? member.name : `${member.name} of ${title.charAt(0).toLowerCase()}${title.slice(1)}`
}

/** Returns a field's name for people who have not read the message: `answer of annotation 1`. */
export function plainNameOf(member: Member): string {
  return fullNameOf(member).replace(/^isSatisfied\b/, 'answer')
}

/** Returns a field's value for people who have not read the message: an answer is `yes` or `no`. */
export function plainValueOf({ name }: Member, value: Value): Value {
  if (name !== 'isSatisfied' || typeof value !== 'boolean') return value
  return value ? 'yes' : 'no'
}

/**
 * Returns a field's value in the original message if the original has verified; otherwise its current value.
 */
export function valueBefore({ path, value }: Member): Value {
  if (!isComparable.value) return value
  return genuine.value.find((one) => one.path === path)?.value ?? value
}

function MemberField({ member }: { readonly member: Member }) {
  const { path, name, value } = member
  const before = valueBefore(member)
  return (
    <Field
      id={path}
      name={name}
      fullName={fullNameOf(member)}
      before={String(before)}
      now={String(value)}
      {...(typeof value === 'string' && { onEdit: (text: string) => alter(member, text) })}
      onFlip={() => alter(member, flipped(name, value))}
      onUndo={() => alter(member, before)}
    />
  )
}
