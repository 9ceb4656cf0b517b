import { instantOf } from '../../evidence/trust/policy/instant.js'
import { AlvariumError, expected, needs } from '../../foundation/base/errors.js'
import { hint, shorten } from '../../foundation/base/options/names.js'
import { joinWithOr } from '../../foundation/base/options/schema.js'
import { quote } from '../../foundation/base/text/text.js'

/** A query parameter in terms of JSON Schema, for both the OpenAPI description and the checks. */
export interface Parameter {
  readonly description: string
  readonly required?: true
  readonly schema: {
    readonly type: 'string' | 'integer' | 'boolean'
    readonly format?: 'date-time'
    readonly enum?: readonly string[]
    readonly minimum?: number
    readonly maximum?: number
    readonly default?: string | number | boolean
  }
}

export type Parameters = Readonly<Record<string, Parameter>>

/** Values by parameter name, with defaults or undefined if missing. Times are in milliseconds since 1970. */
export type Values = Readonly<Record<string, string | number | boolean | undefined>>

/** Reads and checks the query of a URL. @throws AlvariumError `CONFIG_INVALID` naming the parameter */
export function valuesIn(query: URLSearchParams, parameters: Parameters): Values {
  const names = Object.keys(parameters)
  for (const name of query.keys()) {
    if (!names.includes(name)) {
      const text = `${shorten(name)}: is not a known parameter${hint(name, names)}`
      throw new AlvariumError('CONFIG_INVALID', text)
    }
    const { length } = query.getAll(name)
    if (length > 1) throw expected('CONFIG_INVALID', name, 'one value', `${length}`)
  }
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const text = query.get(name)
      if (text === null && parameter.required) throw needs(name, 'a value')
      return [name, text === null ? parameter.schema.default : readValue(name, text, parameter)]
    }),
  )
}

function readValue(name: string, text: string, { schema }: Parameter): string | number | boolean {
  const { type, format, enum: words, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
  const refused = (requirement: string) => expected('CONFIG_INVALID', name, requirement, quote(text))
  if (type === 'integer') {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    throw refused(`an integer from ${minimum} to ${maximum}`)
  }
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw refused('true or false')
  }
  if (words && !words.includes(text)) throw refused(joinWithOr(words, text))
  if (format === undefined) return text
  const ms = instantOf(text)?.ms
  if (ms !== undefined) return ms
  throw refused('a time such as 2026-11-20T10:00:00Z')
}
