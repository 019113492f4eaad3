import type { ReactNode } from 'react'
import { Logo } from '../ui/Logo.tsx'

/** The frame of pages before sign-in and of requests: a splash panel from 768 px, logo and form on the right. */
export function BoxedLayout({
  title,
  splash,
  foot,
  top,
  children,
}: {
  title: string
  /** Replaces the words on the panel; null for no panel. */
  splash?: ReactNode
  /** Small print on the panel. */
  foot?: ReactNode
  /** A banner above the form. */
  top?: ReactNode
  children: ReactNode
}) {
  return (
    <div className={splash === null ? 'grid min-h-dvh' : 'grid min-h-dvh md:grid-cols-[1.1fr_1fr]'}>
      {splash !== null && (
        <aside
          aria-label="About FlowForge"
          className="flex flex-col justify-between border-r bg-linear-150 from-accent-soft to-page to-70% p-10 max-md:hidden lg:p-14"
        >
          <span aria-hidden />
          {splash ?? (
            <div>
              <p className="mb-2 max-w-115 text-display font-semibold tracking-[-0.01em]">
                Node-RED for the whole company, on the server and at the edge.
              </p>
              <p className="max-w-105 text-muted">Teams, deployments you can trust, and one place to see every flow.</p>
            </div>
          )}
          <div className="min-h-5 text-sm text-muted">{foot}</div>
        </aside>
      )}
      <main className="grid place-items-center px-6 py-10">
        <div className="flex w-full max-w-90 flex-col gap-4.5">
          <Brand />
          {top}
          <h1 className="text-xl tracking-[-0.01em]">{title}</h1>
          {children}
        </div>
      </main>
    </div>
  )
}

function Brand() {
  return (
    <span className="mb-2 flex items-center gap-2 font-semibold tracking-[-0.01em]">
      <Logo />
      FlowForge
    </span>
  )
}
