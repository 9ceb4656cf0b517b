import { useSignal } from '@preact/signals'
import { draft, take } from '../../state/draft.ts'
import { Button } from '../../ui/controls.tsx'

/** Time limit in milliseconds for a device that has the interface but no sensor, as most desktops do. */
const PATIENCE_MS = 1500

export function MotionSource() {
  const problem = useSignal('')
  if (!('DeviceMotionEvent' in globalThis)) return <p class="absent">This browser offers no motion sensor.</p>
  const { value } = draft
  const read = async () => {
    problem.value = ''
    try {
      const bytes = await readMotion()
      take({ from: 'motion', name: 'Motion reading', bytes })
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <div class="device">
      <Button onClick={read}>Take a motion reading</Button>
      {value?.from === 'motion' && <pre class="preview">{new TextDecoder().decode(value.bytes)}</pre>}
      {problem.value && <p class="absent">{problem.value}</p>}
    </div>
  )
}

/** Permission request of Safari, which needs a click. */
interface Asking {
  requestPermission?(): Promise<'granted' | 'denied'>
}

async function readMotion(): Promise<Uint8Array<ArrayBuffer>> {
  const permission = await (DeviceMotionEvent as Asking).requestPermission?.()
  if (permission === 'denied')
    throw new Error('You have not allowed the motion sensor; the page works without it.')
  const event = await nextMotion()
  const { x, y, z } = event.accelerationIncludingGravity ?? {}
  return new TextEncoder().encode(
    JSON.stringify({ sensor: 'motion', at: new Date().toISOString(), x, y, z, unit: 'm/s²' }),
  )
}

function nextMotion(): Promise<DeviceMotionEvent> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      removeEventListener('devicemotion', heard)
      clearTimeout(timer)
    }
    const heard = (event: DeviceMotionEvent) => {
      if (typeof event.accelerationIncludingGravity?.x !== 'number') return
      stop()
      resolve(event)
    }
    const timer = setTimeout(() => {
      stop()
      reject(new Error('This device has no motion sensor.'))
    }, PATIENCE_MS)
    addEventListener('devicemotion', heard)
  })
}
