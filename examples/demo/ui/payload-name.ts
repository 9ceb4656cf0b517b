/** Derives the name of a payload from its content, as `hall-2, 27.2 °C`. */
import { utf8 } from './text.ts'

/** Maximum size in bytes of a payload that is parsed, and maximum length in characters of a name. */
const MAX_BYTES = 10_000
const MAX_LENGTH = 40

/** Members that identify the subject of a payload, best first. */
const LABELS = ['sensor', 'device', 'name', 'title', 'id']

const UNITS: Readonly<Record<string, string>> = { celsius: '°C', fahrenheit: '°F', percent: '%', volts: 'V' }

/** Returns a payload's subject, first number and true members; undefined without any of these. */
export function payloadNameIn(payload: Uint8Array): string | undefined {
  const members = membersIn(payload)
  const label = LABELS.map((name) => members.get(name)).find((value) => typeof value === 'string')
  const [measure] = [...members].flatMap(([name, value]) =>
    typeof value === 'number' ? [withUnit(name, value)] : [],
  )
  const flags = [...members].flatMap(([name, value]) => (value === true ? [name] : []))
  const parts = [label, measure, ...flags].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : shorten(parts.join(', '))
}

function membersIn(payload: Uint8Array): Map<string, unknown> {
  const text = payload.length > MAX_BYTES ? undefined : utf8(payload)
  try {
    const value: unknown = JSON.parse(text ?? '')
    return new Map(
      typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [],
    )
  } catch {
    return new Map()
  }
}

function withUnit(name: string, value: number): string {
  const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined
  return unit === undefined ? `${name} ${value}` : `${value} ${unit}`
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}
