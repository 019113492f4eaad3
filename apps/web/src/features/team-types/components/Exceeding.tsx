import type { TeamTypePreview } from '@app/contract'
import { Banner } from '../../../ui/Banner.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { exceededText } from '../quota-text.ts'

/** The teams that exceed a type, and what that means for them. */
export function Exceeding({ count, teams }: TeamTypePreview) {
  return (
    <Banner kind="warning">
      <div className="flex flex-col gap-2">
        <p>
          {count === 1 ? '1 team exceeds' : `${count} teams exceed`} these limits. Nothing stops there, but nothing can
          be added until there is room again.
        </p>
        <ul className="max-h-50 list-disc overflow-y-auto pl-5">
          {teams.map(({ id, name, slug, exceeds }) => (
            <li key={id}>
              <TextLink to={`/team/${slug}`}>{name}</TextLink>: {exceeds.map(exceededText).join(', ')}
            </li>
          ))}
        </ul>
        {count > teams.length && <p>and {count - teams.length} more</p>}
      </div>
    </Banner>
  )
}
