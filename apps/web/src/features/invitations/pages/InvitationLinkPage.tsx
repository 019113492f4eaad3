import type { InvitationOffer, User } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { Unlink } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { hasStatus, reasonOf } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Whole } from '../../../shell/Screens.tsx'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { toast } from '../../../ui/toast.ts'
import { SignedUp, SignUpForm, useLogout, userQuery, useSettings } from '../../account/index.ts'
import { invitationOfferQuery, useJoin } from '../invitation-link.queries.ts'

/**
 * An invitation link. Its code stands behind the #, so that no log of a server or a proxy has it. Under `/join` the
 * page is shown after signing in.
 */
export function InvitationLinkPage() {
  usePageTitle('Invitation')
  const code = useLocation({ select: ({ hash }) => hash })
  const { data: offer, error, refetch } = useQuery(invitationOfferQuery(code))
  const { data: user } = useQuery(userQuery)
  const [signingUp, setSigningUp] = useState(false)
  const [made, setMade] = useState<User>()
  const settings = useSettings()
  if (made) return <SignedUp user={made} />
  if (code === '' || hasStatus(error, 404)) return <Spent />
  if (error) return <ErrorState onRetry={() => void refetch()}>{error.message}</ErrorState>
  return (
    <BoxedLayout title={offer ? `Join ${offer.team.name}` : 'Invitation'}>
      {offer ? <Offered offer={offer} /> : <SkeletonText lines={2} />}
      {offer && user && <Join code={code} offer={offer} user={user} />}
      {offer && !user && !signingUp && <Choice code={code} offer={offer} onSignUp={() => setSigningUp(true)} />}
      {signingUp && settings && <SignUpForm settings={settings} email="" code={code} onDone={setMade} />}
    </BoxedLayout>
  )
}

function Offered({ offer: { team, invitor, roleName } }: { offer: InvitationOffer }) {
  return (
    <p className="-mt-2 text-muted">
      <Strong>{invitor.name || invitor.username}</Strong> invites you into the team <Strong>{team.name}</Strong> as{' '}
      {roleName}.
    </p>
  )
}

function Strong({ children }: { children: ReactNode }) {
  return <b className="font-medium wrap-anywhere text-ink">{children}</b>
}

function Join({ code, offer, user }: { code: string; offer: InvitationOffer; user: User }) {
  const navigate = useNavigate()
  const { mutate, isPending } = useJoin()
  const { mutate: signOut } = useLogout()
  const join = () =>
    mutate(code, {
      onSuccess: (team) => void navigate({ to: '/team/$slug/applications', params: { slug: team.slug } }),
      onError: (error) => toast.warning(reasonOf(error)),
    })
  return (
    <>
      <p className="text-md text-muted">
        You are signed in as <Strong>{user.username}</Strong>.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button variant="primary" loading={isPending} onClick={join}>
          Join {offer.team.name}
        </Button>
        <Button onClick={() => signOut()}>Use another account</Button>
      </div>
    </>
  )
}

function Choice({ code, offer, onSignUp }: { code: string; offer: InvitationOffer; onSignUp: () => void }) {
  const navigate = useNavigate()
  const signIn = () => void navigate({ to: '/account/invitation/join', hash: code })
  return (
    <>
      {!offer.signUp && (
        <p className="text-md text-muted">
          You need an account to join. If you have none, ask {offer.invitor.name || offer.invitor.username} or an
          administrator to create one.
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        {offer.signUp && (
          <Button variant="primary" onClick={onSignUp}>
            Create Account
          </Button>
        )}
        <Button variant={offer.signUp ? 'default' : 'primary'} onClick={signIn}>
          Sign in
        </Button>
      </div>
    </>
  )
}

function Spent() {
  return (
    <Whole
      icon={<Unlink size={20} />}
      title="This invitation is not valid any more"
      message="It was used, removed, or is older than 7 days. Ask for a new one."
    >
      <ButtonLink to="/" variant="primary">
        Go to FlowForge
      </ButtonLink>
    </Whole>
  )
}
