import type { ClassicVerdict } from 'alvarium-sdk/verify'
import type { Judged } from './report.js'

/** A verdict for programs. */
export function jsonOf({ verdict, alteration }: Judged): object {
  const { place, is } = verdict
  if (verdict.format === 'bundle') return { place, verdict: is, format: 'bundle', bundles: verdict.bundles }
  if (verdict.format === 'classic') {
    const { action, dialect, annotations } = verdict.classic
    return {
      place,
      verdict: is,
      format: 'classic',
      action,
      dialect,
      annotations: annotations.map(annotationOf),
    }
  }
  const { code, message } = verdict.error
  return {
    place,
    verdict: is,
    code,
    error: message,
    ...(alteration && { altered: alterationOf(alteration) }),
  }
}

function annotationOf(one: ClassicVerdict): object {
  if (one.status === 'fulfilled') return { verdict: 'verified', ...one.value }
  return { verdict: 'refused', code: one.reason.code, error: one.reason.message }
}

function alterationOf({ field, signed, came }: NonNullable<Judged['alteration']>): object {
  return { field, signed, came }
}
