/** Readings of the simulated sensor: four years of Seattle's weather, fetched on first use. */
import address from '#data/seattle-weather.csv?url'

/**
 * Returns a function that returns the next reading on each call, and starts again after the last one. The
 * field `reading` of the payload keeps increasing.
 */
export async function readings(): Promise<() => Uint8Array<ArrayBuffer>> {
  const response = await fetch(new URL(address, import.meta.url))
  if (!response.ok) throw new Error(`data set: expected it beside the page, got HTTP ${response.status}`)
  const rows = parse(await response.text())
  const encoder = new TextEncoder()
  let reading = 0
  return () => {
    const row = rows[reading % rows.length]
    reading++
    return encoder.encode(JSON.stringify({ sensor: 'seattle', reading, ...row }))
  }
}

type Row = Record<string, string | number>

/** Parses CSV without quotation marks. */
function parse(csv: string): Row[] {
  const [head = '', ...lines] = csv.trim().split(/\r?\n/)
  const names = head.split(',')
  return lines.map((line) => {
    const values = line.split(',')
    return Object.fromEntries(names.map((name, n) => [name, cellOf(values[n] ?? '')]))
  })
}

function cellOf(text: string): string | number {
  const number = Number(text)
  return text === '' || Number.isNaN(number) ? text : number
}
