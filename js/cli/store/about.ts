import type { AboutPayload } from 'alvarium-sdk/store'
import { noteRecords } from '../input/payloads.js'
import { answersIn, forgottenText, keyText, setText } from '../score/report.js'
import { EXIT, type Run } from '../session.js'
import {
  bold,
  dim,
  joinTexts,
  padText,
  type SafeText,
  safeText,
  type TextValue,
  yellow,
} from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'
import { codeOfRefused, type TrustArgument, trustIn, trustRow } from './trust-argument.js'

interface AboutOptions extends DatabaseOptions, PayloadOptions, TrustArgument {
  readonly json?: boolean
}

export const run: Run<AboutOptions> = async ([argument = ''], options, session) => {
  const { out, err } = session
  const payload = await payloadIn(argument, options, session)
  const trust = await trustIn(options, session)
  const about = await withStore(options, session, (store) => store.about(payload, { trust }))
  if (options.json) await out.json(jsonOf(about))
  else for (const row of aboutRows(about)) await out.line(row)
  if (about.trust && !options.json) await out.line(trustRow(options.trust ?? '', about.trust))
  if (about.bundles > 0) return EXIT.yes
  const code = codeOfRefused(about.trust)
  if (Object.keys(about.trust?.refused ?? {}).length > 0) return code
  await err.line(safeText`${yellow('?')} no bundle of this store is about this payload`)
  if (!options.payloadKey) await noteRecords(argument, session)
  return code
}

function jsonOf({ answers, signers, hosts, ...rest }: AboutPayload): object {
  const [all, ...counts] = [answers, signers, hosts].map((map) => Object.fromEntries(map))
  return { ...rest, answers: all, signers: counts[0], hosts: counts[1] }
}

const MAX_ROWS = 20

function aboutRows(about: AboutPayload): SafeText[] {
  const { bundles, pruned, forgottenAt, answers, signers, hosts, madeFrom, madeFromSets, madeInto } = about
  const named = (counts: ReadonlyMap<string, number>) =>
    Array.from(counts, ([name, times]) => safeText`${name} ${dim(count(times))}`)
  return [
    safeText`${bold(keyText(about))}  ${countOf(bundles, 'bundle')}${pruned > 0 ? dim(`, and ${count(pruned)} pruned`) : ''}`,
    ...(forgottenAt === undefined ? [] : [safeText`  ${forgottenText(forgottenAt)}`]),
    ...rows('answers', answers.size > 0 ? [answersIn(answers)] : []),
    ...rows('signers', named(signers)),
    ...rows('hosts', named(hosts)),
    ...rows('made from', [...madeFromSets.map(setText), ...madeFrom.map(keyText)]),
    ...rows('made into', madeInto.map(keyText)),
  ]
}

function rows(name: string, values: readonly TextValue[]): SafeText[] {
  const more = values.length - MAX_ROWS
  const all = more > 0 ? [...values.slice(0, MAX_ROWS), `${count(more)} more: --json shows all`] : values
  return all.map((value, at) => safeText`  ${padText(at === 0 ? name : '', 9)}  ${joinTexts([value])}`)
}
