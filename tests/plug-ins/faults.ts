import { onTestFinished } from 'vitest'

export type Fault = 'throws' | 'rejects' | 'hangs' | 'returns a symbol'
export const FAULTS: readonly Fault[] = ['throws', 'rejects', 'hangs', 'returns a symbol']

export const oops = new Error('oops')

/** A function with each fault: the last one returns a value that is no valid answer. */
const FAULTY: Readonly<Record<Fault, () => never>> = {
  throws: () => {
    throw oops
  },
  rejects: (() => Promise.reject(oops)) as () => never,
  hangs: (() => new Promise(() => {})) as () => never,
  'returns a symbol': (() => Symbol('no answer')) as () => never,
}

export const faulty = (fault: Fault): (() => never) => FAULTY[fault]

export const loggerWith = (fault: Fault) => {
  const act = faulty(fault)
  return { debug: act, info: act, warn: act, error: act }
}

export function each<Expected>(plugIn: string, expected: Readonly<Record<Fault, Expected>>) {
  return FAULTS.map((fault) => [plugIn, fault, expected[fault]] as const)
}

export const always = <Expected>(expected: Expected): Record<Fault, Expected> => {
  return { throws: expected, rejects: expected, hangs: expected, 'returns a symbol': expected }
}

/** Collects unhandled rejections, from now until the test is over. */
export function unhandledRejections(): unknown[] {
  const found: unknown[] = []
  const record = (reason: unknown) => void found.push(reason)
  process.on('unhandledRejection', record)
  onTestFinished(() => void process.off('unhandledRejection', record))
  return found
}

/** Returns the code of the error, or `ok`. */
export async function outcomeOf(act: () => unknown): Promise<string> {
  try {
    await act()
    return 'ok'
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error)
  }
}
