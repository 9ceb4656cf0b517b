/** Wire format of the calls and updates of `protocol.ts`, between the page and its workers. */
import type {
  MakerCalls,
  MakerUpdate,
  RacerCalls,
  Role,
  Trouble,
  VerifierCalls,
  VerifierUpdate,
} from './protocol.ts'
import type { Race } from './race.ts'

export interface Roles {
  maker: { calls: MakerCalls; update: MakerUpdate }
  verifier: { calls: VerifierCalls; update: VerifierUpdate }
  racer: { calls: RacerCalls; update: Race }
}

// biome-ignore lint/suspicious/noExplicitAny: the only type that every function's parameters extend
type AnyFunction = (params: any) => unknown

export type CallName<R extends Role> = keyof Roles[R]['calls'] & string
export type Params<R extends Role, N extends CallName<R>> = Roles[R]['calls'][N] extends AnyFunction
  ? Parameters<Roles[R]['calls'][N]>[0]
  : never
export type Result<R extends Role, N extends CallName<R>> = Roles[R]['calls'][N] extends AnyFunction
  ? ReturnType<Roles[R]['calls'][N]>
  : never

export type ToWorker =
  | { readonly type: 'start'; readonly role: Role }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly params: unknown }
  /** Acknowledgement that the page has painted the last update, so that the worker may send the next one. */
  | { readonly type: 'painted' }

export type ToPage =
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly trouble: Trouble }
  | { readonly type: 'update'; readonly update: unknown }
