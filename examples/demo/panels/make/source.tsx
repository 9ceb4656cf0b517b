import { source } from '../../state/draft.ts'
import { BoundChoice } from '../../ui/controls.tsx'
import { CameraSource } from './camera.tsx'
import { FileSource } from './file.tsx'
import { MotionSource } from './motion.tsx'
import { SensorSource } from './sensor.tsx'
import { TextSource } from './text.tsx'

const SOURCES = [
  { value: 'text', text: 'JSON', view: TextSource },
  { value: 'file', text: 'File', view: FileSource },
  { value: 'sensor', text: 'Sensor', view: SensorSource },
  { value: 'motion', text: 'Motion', view: MotionSource },
  { value: 'camera', text: 'Camera', view: CameraSource },
] as const

export function Source() {
  const { view: View } = SOURCES.find(({ value }) => value === source.value) ?? SOURCES[0]
  return (
    <div class="block">
      <div class="block-head">
        <h3>Payload</h3>
        <BoundChoice label="Payload from" options={SOURCES} chosen={source} />
      </div>
      <View />
    </div>
  )
}
