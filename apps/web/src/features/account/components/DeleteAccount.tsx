import { useNavigate } from '@tanstack/react-router'
import { ApiError, sentenceOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { toast } from '../../../ui/toast.ts'
import { useDeleteAccount } from '../profile.queries.ts'
import { useUser } from '../user-context.ts'

/** Ends the account, after a question. The server refuses while a team would be left without an owner [ACCT-21]. */
export function DeleteAccount() {
  const { username } = useUser()
  const navigate = useNavigate()
  const { mutateAsync: remove, isPending } = useDeleteAccount()

  async function start() {
    const sure = await confirm({
      title: 'Delete Account',
      message: (
        <>
          The account <b>{username}</b> is deleted for good, with its sessions and access to every team. This cannot be
          undone.
        </>
      ),
      confirmLabel: 'Delete Account',
      danger: true,
      typed: username,
    })
    if (!sure) return
    try {
      await remove()
      toast.success('Your account is deleted.')
      await navigate({ to: '/', replace: true })
    } catch (error) {
      if (error instanceof ApiError) toast.warning(sentenceOf(error) ?? 'Error deleting account')
    }
  }

  return (
    <Card title="Delete Account" padded>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-64 text-muted">
          Before you can delete your account, every team you own must be deleted or have at least one other owner.
        </p>
        <Button variant="danger" loading={isPending} onClick={() => void start()}>
          Delete Account
        </Button>
      </div>
    </Card>
  )
}
