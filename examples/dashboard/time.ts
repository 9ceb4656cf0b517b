/** Formats a timestamp in UTC. Leaves a leap second unchanged, because `Date` cannot represent it. */
export function shownTime(timestamp: string): string {
  const ms = Date.parse(timestamp)
  return Number.isNaN(ms) ? timestamp : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
