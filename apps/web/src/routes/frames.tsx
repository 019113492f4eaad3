import { createRootRouteWithContext, createRoute, Outlet, useMatches } from '@tanstack/react-router'
import { Gates } from '../features/account/index.ts'
import { Enrolment, ProofHost, SecondStep } from '../features/second-factor/index.ts'
import { SetupNeeded } from '../features/setup/index.ts'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { NotFound } from '../shell/NotFound.tsx'
import { UiHost } from '../ui/UiHost.tsx'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Needs nobody to be signed in. */
    isPublic?: boolean
    /** Verifies an e-mail address, so it is not stopped for the lack of that [SHELL-14]. */
    isVerifyPage?: boolean
    /** The part of the console whose side menu stands beside the page, where that is not a team's. */
    area?: 'account' | 'admin'
    /** The section of the handbook that explains the page: a file of docs/ and an anchor in it. */
    help?: string
    /** The same for pages that show one of several kinds of things, by the kind (`useHelpFor`). */
    helpFor?: Record<string, string>
  }
}

/** The path that was shown before the one being loaded. */
type RouteContext = { cameFrom: () => string | undefined }

/** Stands around every page: what has to be settled before one is shown. */
export const root = createRootRouteWithContext<RouteContext>()({
  component: Root,
  notFoundComponent: () => <NotFound />,
})

function Root() {
  const isPublic = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isPublic) })
  const isVerifyPage = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isVerifyPage) })
  return (
    <UiHost>
      <Gates
        isPublic={isPublic}
        isVerifyPage={isVerifyPage}
        setup={<SetupNeeded />}
        secondStep={(back) => <SecondStep onBack={back} />}
        enrolment={<Enrolment />}
      >
        <Outlet />
      </Gates>
      <ProofHost />
    </UiHost>
  )
}

/** The frame of the console, around the pages of who is signed in. */
export const platform = createRoute({
  getParentRoute: () => root,
  id: 'platform',
  component: lazy(() => import('../features/console/components/PlatformLayout.tsx'), 'PlatformLayout'),
})
