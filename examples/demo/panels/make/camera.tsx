import { useSignal } from '@preact/signals'
import { draft, take } from '../../state/draft.ts'
import { Button } from '../../ui/controls.tsx'
import { size } from '../../ui/text.ts'

export function CameraSource() {
  const problem = useSignal('')
  if (!navigator.mediaDevices?.getUserMedia) {
    return (
      <p class="absent">This browser offers no camera here: it needs a secure page (https or localhost).</p>
    )
  }
  const { value } = draft
  const shoot = async () => {
    problem.value = ''
    try {
      take({ from: 'camera', name: 'Camera frame', bytes: await takeFrame() })
    } catch (error) {
      problem.value = reasonOf(error)
    }
  }
  return (
    <div class="device">
      <Button onClick={shoot}>Take a camera frame</Button>
      {value?.from === 'camera' && (
        <p class="quiet">JPEG, {size(value.bytes.length)}. It stays in this page.</p>
      )}
      {problem.value && <p class="absent">{problem.value}</p>}
    </div>
  )
}

async function takeFrame(): Promise<Uint8Array<ArrayBuffer>> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640 } })
  try {
    const video = document.createElement('video')
    video.muted = true
    video.srcObject = stream
    await video.play()
    return await jpegOf(video)
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}

async function jpegOf(video: HTMLVideoElement): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
  if (!blob) throw new Error('The camera gave no picture.')
  return new Uint8Array(await blob.arrayBuffer())
}

function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError') return 'You have not allowed the camera; the page works without it.'
  if (name === 'NotFoundError') return 'This device has no camera.'
  return error instanceof Error ? error.message : String(error)
}
