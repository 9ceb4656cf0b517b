import { textOf } from './bytes.js'
import { closing, receive } from './receiving.js'
import { type Answers, scripted } from './scripts.js'

type Options = Partial<Parameters<typeof receive>[0]>

/** Starts a broker with scripted answers, and a subscription to `t` there. */
export async function subscribed(
  options: Options = {},
  answers: Answers = {},
  logger?: Parameters<typeof receive>[1],
) {
  const broker = await scripted(answers)
  const reception = closing(
    receive({ url: broker.url, topic: 't', durable: false, protocolVersion: 4, ...options }, logger),
  )
  const told: string[] = []
  for (const type of ['online', 'offline']) reception.addEventListener(type, () => void told.push(type))
  const taken = async () => (await reception.take()).map((one) => ({ text: textOf(one.message), one }))
  return { broker, reception, told, taken }
}
