import * as v from 'valibot'
import { AlvariumError } from './errors.js'
import { faultOf, isUnknownName, type Step, stepsOf } from './schema.js'

/** More than anybody reads; each unknown name of an object costs another look at the whole. */
const MOST_FAULTS = 50

/**
 * Checks what somebody wrote into a file against a schema, as `readOptions` does, but tells all that is wrong at once.
 *
 * @param value - of JSON's kinds
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each member that cannot work
 */
export function readWhole<T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  root: string,
): v.InferOutput<T> {
  const faults = new Set<string>()
  for (let left = value; faults.size < MOST_FAULTS; ) {
    const result = v.safeParse(schema, left, { abortPipeEarly: true })
    if (result.success && faults.size === 0) return result.output
    const found = (result.issues ?? []).flatMap((issue) => leavesOf(issue, []))
    for (const { issue, steps } of found) faults.add(faultOf(issue, steps, root))
    const unknown = found.filter(({ issue }) => isUnknownName(issue))
    if (unknown.length === 0) break
    // Of each object valibot tells one unknown name: the next one without it.
    for (const { steps } of unknown) left = without(left, steps)
  }
  throw new AlvariumError('CONFIG_INVALID', [...faults].join('\n'))
}

/** What is wrong with one member. */
interface Leaf {
  readonly issue: v.BaseIssue<unknown>
  readonly steps: readonly Step[]
}

/** Of what can be one thing or another, what is wrong inside of the one that it seems to be. */
function leavesOf(issue: v.BaseIssue<unknown>, above: readonly Step[]): Leaf[] {
  const steps = [...above, ...stepsOf(issue)]
  const seemed = Array.isArray(issue.input) ? 'array' : 'object'
  const inside = (issue.issues ?? []).filter(({ path }) => path?.[0].type === seemed)
  return inside.length === 0 ? [{ issue, steps }] : inside.flatMap((one) => leavesOf(one, steps))
}

/** A copy without the member to which these steps lead. */
function without(value: unknown, [step, ...more]: readonly Step[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value
  const key = String(step.key)
  const isLast = more.length === 0
  const copied = Object.entries(value)
    .filter(([name]) => !(isLast && name === key))
    .map(([name, one]) => [name, name === key ? without(one, more) : one] as const)
  return Array.isArray(value) ? copied.map(([, one]) => one) : Object.fromEntries(copied)
}
