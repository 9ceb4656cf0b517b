import { onTestFinished } from 'vitest'

/** What goes wrong in somebody's own code. */
export type Fault = 'throws' | 'rejects' | 'hangs' | 'lies'
export const FAULTS: readonly Fault[] = ['throws', 'rejects', 'hangs', 'lies']

export const oops = new Error('oops')

/** What has each fault: `lies` answers with what nobody can take for an answer. */
const FAULTY: Readonly<Record<Fault, () => never>> = {
  throws: () => {
    throw oops
  },
  rejects: (() => Promise.reject(oops)) as () => never,
  hangs: (() => new Promise(() => {})) as () => never,
  lies: (() => Symbol('no answer')) as () => never,
}

/** A function that has the fault, whatever it is asked. */
export const faulty = (fault: Fault): (() => never) => FAULTY[fault]

/** A logger that has the fault, in each of its methods. */
export const loggerWith = (fault: Fault) => {
  const act = faulty(fault)
  return { debug: act, info: act, warn: act, error: act }
}

/** Each of the faults, with what is expected of it. */
export function each<Expected>(plugIn: string, expected: Readonly<Record<Fault, Expected>>) {
  return FAULTS.map((fault) => [plugIn, fault, expected[fault]] as const)
}

/** The same is expected of all four. */
export const always = <Expected>(expected: Expected): Record<Fault, Expected> => {
  return { throws: expected, rejects: expected, hangs: expected, lies: expected }
}

/** Rejections that nobody handles, from now until the test is over. */
export function unhandledRejections(): unknown[] {
  const found: unknown[] = []
  const record = (reason: unknown) => void found.push(reason)
  process.on('unhandledRejection', record)
  onTestFinished(() => void process.off('unhandledRejection', record))
  return found
}

/** Code of the error, or `ok`. */
export async function outcomeOf(act: () => unknown): Promise<string> {
  try {
    await act()
    return 'ok'
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error)
  }
}
