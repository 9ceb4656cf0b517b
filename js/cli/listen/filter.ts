import type { ReceivedBundle, ReceivedClassic, VerifiedAnnotation } from 'alvarium-sdk'

/** What to show of what comes. */
export interface FilterOptions {
  readonly action?: readonly string[]
  readonly kind?: readonly string[]
  readonly host?: readonly string[]
  readonly satisfied?: boolean
  readonly unsatisfied?: boolean
}

/** What came, in the words that bundles and classic messages have in common. */
export interface Said {
  readonly action: string
  readonly hosts: readonly string[]
  readonly annotations: readonly { readonly kind: string; readonly isSatisfied: boolean }[]
}

/** What verified of a message. */
export function saidBy(one: ReceivedBundle | ReceivedClassic): Said {
  const { action } = one
  if (one.format === 'bundle') return { action, hosts: [one.host], annotations: one.annotations }
  const annotations = verifiedIn(one)
  return { action, hosts: annotations.map(({ host }) => host), annotations }
}

/** The annotations of a classic message that verified. */
export function verifiedIn({ annotations }: Pick<ReceivedClassic, 'annotations'>): VerifiedAnnotation[] {
  return annotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Whether somebody asked for this. */
export function isWanted(said: Said, options: FilterOptions): boolean {
  const { action, kind, host, satisfied, unsatisfied } = options
  if (action && !action.includes(said.action)) return false
  if (host && !said.hosts.some((one) => host.includes(one))) return false
  const asked = kind ? said.annotations.filter((one) => kind.includes(one.kind)) : said.annotations
  if (kind && asked.length === 0) return false
  const isEach = asked.every(({ isSatisfied }) => isSatisfied)
  return !(satisfied && !isEach) && !(unsatisfied && isEach)
}
