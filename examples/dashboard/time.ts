/** Writes a time for people, in UTC. A timestamp that no clock of JavaScript has, such as a leap second, stays as its signer wrote it. */
export function shownTime(timestamp: string): string {
  const ms = Date.parse(timestamp)
  return Number.isNaN(ms) ? timestamp : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
