/** Whether instances are isolated from each other and limited here, with a list of what is missing. */
export function Isolation({ gaps }: { gaps: readonly string[] }) {
  if (gaps.length === 0) return 'Full'
  return (
    <details className="group">
      <summary className="w-fit cursor-default list-none rounded-sm">
        Partial, <span className="text-accent-text group-open:underline hover:underline">what is missing</span>
      </summary>
      <ul className="mt-1.5 flex list-disc flex-col gap-1.5 pl-4 text-sm text-muted">
        {gaps.map((gap) => (
          <li key={gap}>{gap}</li>
        ))}
      </ul>
    </details>
  )
}
