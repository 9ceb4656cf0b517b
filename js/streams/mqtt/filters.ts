/** Whether all that matches one topic filter matches another, wider one (MQTT 5, 4.7). A topic is a filter for itself. */
export function covers(wide: string, narrow: string): boolean {
  if (isOfBroker(wide, narrow)) return false
  const [wideLevels, levels] = [wide.split('/'), narrow.split('/')]
  for (const [at, level] of wideLevels.entries()) {
    if (level === '#') return true
    const other = levels[at]
    if (other === '#' || (level !== '+' && level !== other)) return false
  }
  return wideLevels.length === levels.length
}

/** Whether some topic matches both. */
function overlap(one: string, other: string): boolean {
  if (isOfBroker(one, other) || isOfBroker(other, one)) return false
  const [levels, others] = [one.split('/'), other.split('/')]
  for (let at = 0; at < Math.max(levels.length, others.length); at++) {
    const [a, b] = [levels[at], others[at]]
    if (a === '#' || b === '#') return true
    if (a === undefined || b === undefined || (a !== '+' && b !== '+' && a !== b)) return false
  }
  return true
}

/** Wildcards at the beginning leave the broker's own topics out. */
function isOfBroker(wide: string, narrow: string): boolean {
  return /^[+#]/.test(wide) && narrow.startsWith('$')
}

/** The filters without those that others cover: a broker may send a message once for each filter that it matches. */
export function widest(filters: readonly string[]): string[] {
  const distinct = [...new Set(filters)]
  return distinct.filter((one) => !distinct.some((other) => other !== one && covers(other, one)))
}

/** Those of the filters that share topics with another of them. */
export function overlapping(filters: readonly string[]): string[] {
  return filters.filter((one) => filters.some((other) => other !== one && overlap(one, other)))
}
