import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ExitCode, Run, Session } from '../session.js'

/** Has a command's module loaded and run when the command is asked for. */
export type Runs = <Options extends object>(
  load: () => Promise<{ readonly run: Run<Options> }>,
) => (...given: unknown[]) => Promise<void>

/** @param became - is told the exit code */
export function runner(session: Session, became: (code: ExitCode) => void): Runs {
  return <Options extends object>(load: () => Promise<{ readonly run: Run<Options> }>) =>
    async (...given: unknown[]) => {
      // What commander hands over: the arguments, then the options, then the command itself.
      const command = given.at(-1) as Command
      const { run } = await load()
      became(await run(command.args, command.opts<Options>(), session))
    }
}

/** Commands to copy, and what each is for, as help shows them. */
export function examples(...rows: readonly (readonly [command: string, what: string])[]): string {
  return `\nFor example:\n${rows.map(([command, what]) => `  ${command}\n      ${what}`).join('\n')}\n`
}

/** `--key`, which can be given several times. */
export function trustedKeys(): Option {
  return new Option(
    '-k, --key <file>',
    'a public key to trust, or a folder of them; can be repeated',
  ).argParser((path: string, before: string[] = []) => [...before, path])
}

/** A whole number within bounds, for `argParser`. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }
}
