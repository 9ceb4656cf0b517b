import { alter, genuine, members } from '../../state/tool.ts'
import { Field } from './field.tsx'
import { flipped } from './flip.ts'
import type { Member } from './members.ts'

/** Fields that are shown: of a large batch the first. */
const MOST = 60

/** Every field of the message: those of the bundle, then each annotation's. */
export function Fields() {
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
              <MemberField key={member.path} member={member} group={group} />
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

/** Which bundle and which annotation it belongs to, or nothing for the message's own fields. */
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

function MemberField({ member, group }: { readonly member: Member; readonly group: string }) {
  const { path, name, value } = member
  const before = genuine.value.find((one) => one.path === path)?.value ?? value
  const title = titleOf(group)
  const full = group === '' ? name : `${name} of ${title.charAt(0).toLowerCase()}${title.slice(1)}`
  return (
    <Field
      id={path}
      name={name}
      fullName={full}
      before={String(before)}
      now={String(value)}
      {...(typeof value === 'string' && { onEdit: (text: string) => alter(member, text) })}
      onFlip={() => alter(member, flipped(name, value))}
      onUndo={() => alter(member, before)}
    />
  )
}
