/** Stations of the example: a sensor, a gateway and a service, each with its own key and annotators. */
import type { Hop, StationName } from '../protocol.ts'
import { type Annotator, generateKey, memory, openSdk, type Receipt, type Sdk, source, toHex } from './sdk.ts'

const CELSIUS = [21.4, 24.8, 27.2]
/** Temperature in °C above which the service sets the alarm. */
const HOT = 26

interface Reading {
  readonly sensor: string
  readonly at: string
  readonly celsius: number
}

interface Station {
  readonly name: StationName
  readonly publicKey: string
  readonly sdk: Sdk
}

function check(kind: string, holds: (reading: Reading) => boolean): Annotator {
  return {
    kind,
    needs: 'payload',
    isSatisfied: ({ payload }) => holds(JSON.parse(new TextDecoder().decode(payload))),
  }
}

const KNOWS: { readonly [Name in StationName]: readonly Annotator[] } = {
  sensor: [source(), check('in-range', ({ celsius }) => celsius > -40 && celsius < 85)],
  gateway: [source(), check('fresh', ({ at }) => Date.now() - Date.parse(at) < 60_000)],
  service: [source(), check('plausible', ({ celsius }) => celsius < 60)],
}

/** Stations that pass readings on. Their keys exist as long as the page. */
export class Stations {
  #opened: Promise<readonly Station[]> | undefined
  #sent = 0

  /** Passes one reading through the stations. Returns each station's message about it. */
  async send(): Promise<Hop[]> {
    this.#opened ??= Promise.all((['sensor', 'gateway', 'service'] as const).map(open))
    const [sensor, gateway, service] = (await this.#opened) as [Station, Station, Station]
    const celsius = CELSIUS[this.#sent++ % CELSIUS.length] as number
    const reading: Reading = { sensor: 'hall-2', at: new Date().toISOString(), celsius }
    const measured = bytesOf(reading)
    const judged = bytesOf({ ...reading, alarm: celsius > HOT })
    return [
      hop(sensor, measured, await sensor.sdk.create(measured)),
      hop(gateway, measured, await gateway.sdk.transit(measured)),
      hop(service, judged, await service.sdk.mutate(measured, judged)),
    ]
  }
}

async function open(name: StationName): Promise<Station> {
  const { signingKey, verifyingKey } = generateKey()
  const sdk = await openSdk({ signingKey, annotators: [...KNOWS[name]], stream: memory(), host: name })
  return { name, publicKey: toHex(verifyingKey), sdk }
}

function hop({ name, publicKey }: Station, payload: Uint8Array<ArrayBuffer>, receipt: Receipt): Hop {
  return {
    station: name,
    publicKey,
    payload,
    bundle: receipt.bundle,
    // Copy the message, because the stream still uses the original.
    message: receipt.message.slice(),
  }
}

function bytesOf(reading: Reading & { readonly alarm?: boolean }): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(reading))
}
