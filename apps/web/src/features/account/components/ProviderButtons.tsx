import type { PlatformSettings } from '@app/contract'
import { useState } from 'react'
import { Button, ButtonAnchor } from '../../../ui/Button.tsx'
import { beginAt } from '../login.ts'

/** Buttons beyond these are shown when asked for. */
const shownFirst = 5

/** The providers through which people sign in by a button, each a link out of the console in this tab. */
export function ProviderButtons({ providers = [] }: { providers: PlatformSettings['sso:providers'] }) {
  const [all, setAll] = useState(false)
  if (providers.length === 0) return null
  // A button in place of the only provider left would save no room.
  const shown = all || providers.length <= shownFirst + 1 ? providers : providers.slice(0, shownFirst)
  return (
    <nav aria-label="Sign-in providers" className="flex flex-col gap-3 border-t pt-4.5">
      <ul className="flex flex-col gap-2">
        {shown.map(({ id, name }) => (
          <li key={id}>
            <ButtonAnchor wide href={beginAt(id, location)} target="_self">
              Continue with {name}
            </ButtonAnchor>
          </li>
        ))}
      </ul>
      {shown.length < providers.length && (
        <Button variant="ghost" onClick={() => setAll(true)}>
          Show all {providers.length}
        </Button>
      )}
    </nav>
  )
}
