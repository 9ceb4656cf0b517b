/** Returns a form with a file for each name, as a client sends it. */
export async function formOf(
  files: Readonly<Record<string, Uint8Array>>,
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const form = new FormData()
  for (const [name, bytes] of Object.entries(files)) form.set(name, new Blob([bytes.slice()]), name)
  const sent = new Response(form)
  const headers = { 'Content-Type': `${sent.headers.get('Content-Type')}` }
  return { body: new Uint8Array(await sent.arrayBuffer()), headers }
}
