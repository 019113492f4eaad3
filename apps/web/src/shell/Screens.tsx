import { MailCheck, PlugZap } from 'lucide-react'
import type { ReactNode } from 'react'
import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import { Loading } from '../ui/Loading.tsx'
import { Logo } from '../ui/Logo.tsx'
import { RouterLink } from '../ui/RouterLink.tsx'

/** Gate 1: the server does not answer [SHELL-09]. */
export function OfflineScreen({ retry, retrying }: { retry: () => void; retrying?: boolean }) {
  return (
    <Whole
      icon={<PlugZap size={20} />}
      title="Oh Dear"
      message={
        <>
          <p>We tried phoning the server, but no-one answered.</p>
          <p className="mt-1 text-md">This page keeps trying.</p>
        </>
      }
    >
      <Button variant="primary" loading={retrying ?? false} onClick={retry}>
        Try again
      </Button>
    </Whole>
  )
}

/** The server went away while a page was open: the page stays, under this. */
export function ReconnectingBar({ retry }: { retry: () => void }) {
  return (
    <div className="fixed inset-x-0 bottom-0 z-50 bg-page">
      <Banner
        flush
        kind="warning"
        action={
          <Button size="sm" onClick={retry}>
            Try now
          </Button>
        }
      >
        <b className="font-semibold">Reconnecting...</b> The server does not answer. This page shows the last data.
      </Banner>
    </div>
  )
}

/** Gate 2: who is there is not known yet. */
export function LoadingScreen({ message }: { message?: string }) {
  return (
    <main {...(message ? {} : { 'data-loading': '' })} className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">FlowForge</h1>
      <Loading {...(message ? { message } : {})} />
    </main>
  )
}

/** Gate 4: the e-mail address is not verified. */
export function UnverifiedEmail({
  email,
  canMail = true,
  onResend,
  resending,
  onSignOut,
}: {
  email: string
  /** Without mail somebody has to hand over the link. */
  canMail?: boolean
  onResend: () => void
  resending?: boolean
  onSignOut: () => void
}) {
  return (
    <Whole
      icon={<MailCheck size={20} />}
      title="Verify your e-mail address"
      message={
        canMail ? (
          <>
            We have sent a link to <b className="font-medium wrap-anywhere text-ink">{email}</b>. Follow it to go on.
          </>
        ) : (
          'This platform cannot send mail. Ask an administrator for the link that verifies your address.'
        )
      }
    >
      {canMail && (
        <Button variant="primary" loading={resending ?? false} onClick={onResend}>
          Send the link again
        </Button>
      )}
      <Button variant="ghost" onClick={onSignOut}>
        Sign Out
      </Button>
    </Whole>
  )
}

/** A screen of its own with one message and what to do about it. */
export function Whole(props: { icon: ReactNode; title: string; message: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="p-6">
        <RouterLink to="/" marksPlace={false} className="inline-flex items-center gap-2 rounded-md font-semibold">
          <Logo />
          FlowForge
        </RouterLink>
      </header>
      <main className="grid flex-1 place-items-center px-6 pb-24 text-center">
        <div className="flex max-w-110 flex-col items-center gap-3">
          <span aria-hidden className="grid size-12 place-items-center rounded-xl bg-accent-soft text-accent-text">
            {props.icon}
          </span>
          <h1 className="text-xl text-balance">{props.title}</h1>
          <div className="text-balance text-muted">{props.message}</div>
          {props.children && <div className="mt-2 flex flex-wrap justify-center gap-2">{props.children}</div>}
        </div>
      </main>
    </div>
  )
}
