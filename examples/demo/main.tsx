import { render } from 'preact'
import { App, LinkOut } from './app.tsx'
import { keepPage } from './state/dropped.ts'
import { startAll } from './state/start.ts'
import './state/theme.ts'

const page = document.getElementById('page')
if (window.top === window) {
  if (page) render(<App />, page)
  keepPage()
  startAll()
} else if (page) render(<LinkOut />, page)
