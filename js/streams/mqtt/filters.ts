/** Whether all that matches one topic filter matches another, wider one (MQTT 5, 4.7). A topic is a filter for itself. */
function covers(wide: string, narrow: string): boolean {
  // Wildcards at the beginning leave the broker's own topics out.
  if (/^[+#]/.test(wide) && narrow.startsWith('$')) return false
  const [wideLevels, levels] = [wide.split('/'), narrow.split('/')]
  for (const [at, level] of wideLevels.entries()) {
    if (level === '#') return true
    const other = levels[at]
    if (other === undefined || other === '#' || (level !== '+' && level !== other)) return false
  }
  return wideLevels.length === levels.length
}

/** The filters without those that others cover: a broker may send a message once for each filter that it matches. */
export function widest(filters: readonly string[]): string[] {
  const distinct = [...new Set(filters)]
  return distinct.filter((one) => !distinct.some((other) => other !== one && covers(other, one)))
}
