import { memory } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'

await outbox({ stream: memory(), store: './box' })
  .connect()
  .catch(({ code, message }) => console.log(`${code} ${message}`))
