import '../index.css'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { readNonce } from '../lib/nonce.ts'
import { applyTheme } from '../lib/theme.ts'
import { UiHost } from '../ui/UiHost.tsx'
import { Charts } from './charts.tsx'
import { Controls } from './controls.tsx'
import { Data } from './data.tsx'
import { Feedback } from './feedback.tsx'
import { Fields } from './fields.tsx'
import { Navigation } from './navigation.tsx'
import { screens } from './screens.tsx'

/*
 * gallery.html shows a page in both themes side by side, each in a frame of its own, so that what floats over a page
 * has the theme too. `?theme=dark&page=fields` is one frame; `&open=dialog` opens what floats.
 */
const query = new URLSearchParams(location.search)
const theme = query.get('theme')
const open = query.get('open')
const shelves: Record<string, () => ReactNode> = {
  controls: () => <Controls open={open} />,
  fields: () => <Fields />,
  feedback: () => <Feedback open={open} />,
  data: () => <Data />,
  charts: () => <Charts />,
  navigation: () => <Navigation />,
}
const pages: Record<string, () => ReactNode> = { ...shelves, ...screens }
const page = query.get('page') ?? 'controls'

function Frame() {
  const render = pages[page] ?? pages.controls
  if (!(page in shelves)) return render?.()
  return (
    <main className="px-4 pb-10 sm:px-8">
      <h1 className="pt-6 text-xl">Gallery: {page}</h1>
      {render?.()}
    </main>
  )
}

function Both() {
  return (
    <main className="flex h-dvh flex-col">
      <h1 className="sr-only">Gallery</h1>
      <nav aria-label="Pages" className="flex flex-wrap gap-4 border-b bg-panel px-4 py-3">
        {Object.keys(pages).map((name) => (
          <a
            key={name}
            href={`?page=${name}`}
            aria-current={name === page ? 'page' : undefined}
            className="aria-[current]:font-semibold"
          >
            {name}
          </a>
        ))}
      </nav>
      <div className="grid flex-1 grid-cols-2">
        {['light', 'dark'].map((name) => (
          <iframe
            key={name}
            title={`${page}, ${name}`}
            src={`?page=${page}&theme=${name}`}
            className="size-full border-r"
          />
        ))}
      </div>
    </main>
  )
}

readNonce()
if (theme) applyTheme(theme === 'dark')
const root = createRootRoute({ component: () => <UiHost>{theme ? <Frame /> : <Both />}</UiHost> })
const history = createMemoryHistory({ initialEntries: ['/team/bakery/applications'] })
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <RouterProvider router={createRouter({ routeTree: root, history })} />
  </StrictMode>,
)
