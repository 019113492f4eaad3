import { Logo } from './Logo.tsx'

/** Fills its place while something loads that has no shape yet; use Skeleton where the shape is known. */
export function Loading({ message = 'Loading...' }: { message?: string }) {
  return (
    <div role="status" data-loading="" className="grid min-h-60 place-items-center p-8 text-muted">
      <div className="flex flex-col items-center gap-4">
        <span className="relative grid size-14 place-items-center" aria-hidden>
          <span className="absolute inset-0 animate-spin rounded-full border-2 border-track border-t-accent" />
          <Logo size={26} />
        </span>
        {message}
      </div>
    </div>
  )
}
