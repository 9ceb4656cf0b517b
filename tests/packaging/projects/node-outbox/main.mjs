import { memory } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'

const box = outbox({ stream: memory(), store: './box' })
await box.connect()
const { delivered } = await box.publish(new TextEncoder().encode('a message'))
await delivered
await box.close()
console.log('stored and delivered')
