import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, reasonOf } from '../../../lib/api.ts'
import { keys } from '../../../lib/api-keys.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { toast } from '../../../ui/toast.ts'
import { labels } from '../settings-options.ts'

const renewing = {
  title: 'Make a new token',
  message: 'The current token stops working at once. Give the new one to every program that reads the statistics.',
  confirmLabel: 'Make a new token',
  danger: true,
}
const ending = {
  title: 'Stop access by token',
  message: 'Programs that read the statistics with the token are refused at once.',
  confirmLabel: 'Delete the token',
  danger: true,
}

/** The token with which programs read the statistics: shown when it is made, and never again [ASET-15]. */
export function StatsToken({ present }: { present: boolean }) {
  const client = useQueryClient()
  const [token, setToken] = useState<string>()
  const read = () => client.refetchQueries({ queryKey: keys.settings })
  const onError = (error: Error) => toast.warning(`Something went wrong: ${reasonOf(error)}`)
  const make = useMutation({
    meta: { caught: true },
    mutationFn: async () => {
      // Another is made by deleting the first [ASET-17].
      if (present) await api.call('stats.deleteToken')
      return api.call('stats.createToken')
    },
    onSuccess: (made) => setToken(made.token),
    onError,
    onSettled: read,
  })
  const end = useMutation({
    meta: { caught: true },
    mutationFn: () => api.call('stats.deleteToken'),
    onSuccess: () => setToken(undefined),
    onError,
    onSettled: read,
  })
  const change = async (next: boolean) => {
    if (next) return make.mutate()
    if (await confirm(ending)) end.mutate()
  }
  const renew = async () => {
    if (await confirm(renewing)) make.mutate()
  }
  return (
    <div className="flex flex-col gap-4">
      <Switch
        checked={present}
        disabled={make.isPending || end.isPending}
        onChange={(next) => void change(next)}
        label={labels.statsToken}
        help="The token can only read /api/v1/admin/stats, as JSON or OpenMetrics."
      />
      {present && token && (
        <>
          <Banner kind="warning">Shown once. Anyone with this token can read the statistics.</Banner>
          <div className="flex items-center gap-2 rounded-lg border bg-page px-3.5 py-2.5">
            <code aria-label="Statistics token" className="mono min-w-0 flex-1 break-all">
              {token}
            </code>
            <CopyButton text={token} what="statistics token" />
          </div>
        </>
      )}
      {present && (
        <div>
          <Button size="sm" loading={make.isPending} onClick={() => void renew()}>
            Make a new token
          </Button>
        </div>
      )}
    </div>
  )
}
