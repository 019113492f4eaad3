import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useOffline } from '../../../lib/api-offline.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { LoadingScreen, OfflineScreen, ReconnectingBar } from '../../../shell/Screens.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { settingsQuery, userQuery } from '../session.queries.ts'
import { gateOf } from '../gates.ts'
import { UserContext } from '../user-context.ts'
import { LoginScreen } from '../pages/LoginScreen.tsx'
import { AcceptTerms, NewPassword, VerifyEmail } from './LockedGates.tsx'

const probeInterval = 3_000

/** Gates before every page, in the order of SHELL-17. `setup` is shown while the platform has no administrator. */
export function Gates({
  isPublic,
  isVerifyPage,
  setup,
  secondStep,
  enrolment,
  children,
}: {
  /** The page at hand needs nobody to be signed in. */
  isPublic: boolean
  /** The page at hand verifies an e-mail address. */
  isVerifyPage: boolean
  setup: ReactNode
  /** The second step of a sign-in; `back` returns to the password. */
  secondStep: (back: () => void) => ReactNode
  /** Stands before everything while a second factor is required and missing. */
  enrolment: ReactNode
  children: ReactNode
}) {
  const offline = useOffline()
  const { data: user, isError: noUser } = useQuery(userQuery)
  const { data: settings, isError: noSettings } = useQuery(settingsQuery)
  const gate = gateOf({ offline, user, settings, isPublic, isVerifyPage })
  return (
    <>
      {gate === 'offline' && <Offline />}
      {gate === 'pending' && (noUser || noSettings ? <Broken /> : <LoadingScreen />)}
      {gate === 'setup' && setup}
      {gate === 'password-expired' && user && <NewPassword username={user.username} />}
      {gate === 'unverified' && user && <VerifyEmail email={user.email} />}
      {gate === 'second-factor' && enrolment}
      {gate === 'terms' && <AcceptTerms url={settings?.['user:tcs-url']} />}
      {gate === 'login' && <LoginScreen secondStep={secondStep} />}
      {gate === 'page' && <UserContext value={user ?? undefined}>{children}</UserContext>}
      {gate === 'page' && offline && <Reconnecting />}
    </>
  )
}

/** Asks by itself, and at once when told to. The first answer of any call ends it. */
function useProbe(): { retry: () => void; retrying: boolean } {
  const client = useQueryClient()
  const { isFetching, refetch } = useQuery({ ...settingsQuery, refetchInterval: probeInterval, retry: false })
  // The requests made meanwhile got no answer, and what is shown may be old.
  useEffect(() => () => void client.refetchQueries({ type: 'active' }), [client])
  return { retry: () => void refetch(), retrying: isFetching }
}

function Offline() {
  usePageTitle('Offline')
  return <OfflineScreen {...useProbe()} />
}

/** Over the last data, until the server answers again. */
function Reconnecting() {
  return <ReconnectingBar {...useProbe()} />
}

/** The server answers, but cannot say who is there. */
function Broken() {
  const session = useQuery(userQuery)
  const settings = useQuery(settingsQuery)
  const retry = () => void Promise.all([session.refetch(), settings.refetch()])
  return (
    <main>
      <ErrorState title="The platform could not be loaded" onRetry={retry}>
        {(session.error ?? settings.error)?.message}
      </ErrorState>
    </main>
  )
}
