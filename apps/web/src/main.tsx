import './index.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './lib/api-query.ts'
import { readNonce } from './lib/nonce.ts'
import { followTheme } from './lib/theme.ts'
import { createConsoleRouter } from './router.tsx'

readNonce()
followTheme()
// In a task of its own: a slow processor takes a while for the code above, and the person may already be typing.
setTimeout(() =>
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={createConsoleRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  ),
)
