import type { ReactNode } from 'react'

/** One component of the gallery with its name. */
export function Shelf({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="border-b py-6" aria-label={name}>
      <h2 className="mb-3 text-lg">{name}</h2>
      <div className="flex flex-col gap-4">{children}</div>
    </section>
  )
}

/** Variants side by side. */
export function Row({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>
}
