import type { LinkMade } from '@app/contract'
import { Link } from 'lucide-react'
import { useState } from 'react'
import { reasonOf } from '../../../lib/api.ts'
import { formatExact } from '../../../lib/dates.ts'
import { Button } from '../../../ui/Button.tsx'
import { Copyable, copyText } from '../../../ui/CopyButton.tsx'
import { toast } from '../../../ui/toast.ts'
import type { useMakeLink } from '../../invitations/index.ts'
import { titleOfRole } from '../roles.ts'

/** Makes a link that somebody can be handed, with the role that is chosen beside it. */
export function InvitationLink({
  links,
  role,
  disabled,
}: {
  links: ReturnType<typeof useMakeLink>
  role: number
  disabled: boolean
}) {
  const [link, setLink] = useState<LinkMade>()
  const { mutate, isPending } = links
  const make = () =>
    mutate(role, {
      onSuccess: (made) => {
        setLink(made)
        void copyText(made.url)
      },
      onError: (error) => toast.warning(`Unable to create a link: ${reasonOf(error)}`),
    })
  const made = link?.role === role ? link : undefined
  return (
    <section aria-label="Invitation link" className="flex flex-col items-start gap-2 border-t pt-5">
      <Button icon={<Link size={16} aria-hidden />} disabled={disabled} loading={isPending} onClick={make}>
        Copy Invitation Link
      </Button>
      {made && <Copyable text={made.url} what="invitation link" />}
      <p className="text-md text-muted">
        {made
          ? `Works once, until ${formatExact(made.expiresAt)}. ${made.signUp ? 'People without an account can sign up with it.' : 'It needs an account on this platform.'}`
          : `The first person to open it joins as ${titleOfRole(role)}. It works once, for 7 days.`}
      </p>
    </section>
  )
}
