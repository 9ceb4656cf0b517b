import type { AboutPayload } from 'alvarium-sdk/store'
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
} from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'
import { nothingFound, type TrustArgument, trustIn, trustRows } from './trust-argument.js'

export const run: Run<DatabaseOptions & PayloadOptions & TrustArgument> = async (
  [argument = ''],
  options,
  session,
) => {
  const { out } = session
  const payload = await payloadIn(argument, options, session)
  const trust = await trustIn(options, session)
  const about = await withStore(options, session, (store) => store.about(payload, { trust }))
  await out.show(options.json, jsonOf(about), () => [...aboutRows(about), ...trustRows(options, about.trust)])
  if (about.bundles > 0) return EXIT.yes
  return nothingFound('bundle', argument, options, about.trust, session)
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
