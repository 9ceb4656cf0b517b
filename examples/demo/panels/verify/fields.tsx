import { alter, edits } from '../../state/tamper.ts'
import { Field } from './field.tsx'
import { flipped } from './flip.ts'
import { type Leaf, leavesOf } from './tampering.ts'

/** Every field of a message: those of the bundle, then each annotation's. */
export function Fields({ message }: { readonly message: Uint8Array }) {
  const leaves = leavesOf(message)
  if (leaves.length === 0) return <p class="absent">These bytes are no JSON: there are no fields to show.</p>
  const groups = [...new Set(leaves.map(groupOf))]
  return (
    <div class="tamper">
      {groups.map((group) => (
        <fieldset key={group} class={`tamper-group ${group === '' ? 'of-bundle' : 'of-annotation'}`}>
          <legend>{group === '' ? 'Bundle' : `Annotation ${Number(group) + 1}`}</legend>
          {leaves
            .filter((leaf) => groupOf(leaf) === group)
            .map((leaf) => (
              <LeafField key={leaf.path} leaf={leaf} group={group} />
            ))}
        </fieldset>
      ))}
    </div>
  )
}

/** The annotation's position, or nothing for the bundle's own fields. */
function groupOf({ path }: Leaf): string {
  return /annotations\.(\d+)/.exec(path)?.[1] ?? ''
}

function LeafField({ leaf, group }: { readonly leaf: Leaf; readonly group: string }) {
  const { path, name, value } = leaf
  const now = edits.value.get(path) ?? value
  const full = group === '' ? name : `${name} of annotation ${Number(group) + 1}`
  return (
    <Field
      id={path}
      name={name}
      fullName={full}
      before={String(value)}
      now={String(now)}
      {...(typeof value === 'string' && { onEdit: (text: string) => alter(path, text) })}
      onFlip={() => alter(path, flipped(name, now))}
      onUndo={() => alter(path, value)}
    />
  )
}
