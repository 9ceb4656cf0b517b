/**
 * Formats a time for people, in UTC. A timestamp that JavaScript's clock cannot represent, such as a leap second, stays
 * as signed.
 */
export function shownTime(timestamp: string): string {
  const ms = Date.parse(timestamp)
  return Number.isNaN(ms) ? timestamp : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
