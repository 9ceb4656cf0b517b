import { render } from 'preact'
import { App } from './app.tsx'
import { start } from './state.ts'

const page = document.getElementById('page')
if (page) render(<App />, page)
start()
