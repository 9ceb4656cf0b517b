import * as vitest from 'vitest/browser'
import type { commands, ServerName } from './commands.js'

type Commands = typeof commands
type WithoutContext<Command> = Command extends (context: never, ...args: infer Args) => infer Answer
  ? (...args: Args) => Answer
  : never

/** The commands of commands.ts, called from a browser. Vitest types only those of its own providers. */
export const nodeSide = Reflect.get(vitest, 'commands') as {
  [Name in keyof Commands]: WithoutContext<Commands[Name]>
}

/** Starts a server in Node for a test in a browser, and returns a proxy of it. */
export async function startServer<Server>(name: ServerName, argument?: unknown): Promise<Server> {
  const { id, values, methods } = await nodeSide.startServer(name, argument)
  const calls = methods.map((method) => [method, () => nodeSide.callServer(id, method)])
  return { ...values, ...Object.fromEntries(calls) }
}
