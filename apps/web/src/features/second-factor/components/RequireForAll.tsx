import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { api } from '../../../lib/api.ts'
import { keys } from '../../../lib/api-keys.ts'
import { Card } from '../../../ui/Card.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { TextLink } from '../../../ui/TextLink.tsx'
import { toast } from '../../../ui/toast.ts'
import { factorsQuery } from '../second-factor.queries.ts'

/** For administrators: whether the platform asks everyone for a second factor. It holds at once. */
export function RequireForAll() {
  const client = useQueryClient()
  const { data } = useQuery(factorsQuery)
  const { mutateAsync: save, isPending } = useMutation({
    mutationFn: (next: boolean) => api.call('settings.update', { body: { 'user:mfa-required': next } }),
    onSuccess: () =>
      Promise.all([
        client.refetchQueries({ queryKey: keys.secondFactors }),
        client.refetchQueries({ queryKey: keys.settings }),
      ]),
  })
  const required = data?.required === true
  // An administrator who has none would lock themself first of all.
  const mayRequire = required || (data !== undefined && data.factors.length > 0)
  async function change(next: boolean) {
    if (!(await confirm(next ? requiring : releasing))) return
    await save(next)
    toast.success(next ? 'A second factor is required now.' : 'A second factor is no longer required.')
  }
  return (
    <Card title="Second factor" icon={<ShieldCheck size={16} aria-hidden className="text-muted" />} padded>
      <Switch
        checked={required}
        disabled={isPending || !mayRequire}
        onChange={(next) => void change(next)}
        label="Require a second factor"
        help={
          data === undefined || mayRequire ? (
            'Users without one must add it before they can do anything else. Their access tokens stop working until then.'
          ) : (
            <>
              <TextLink to="/account/security/second-factor">Add one of your own</TextLink> first.
            </>
          )
        }
      />
    </Card>
  )
}

const requiring = {
  title: 'Require a second factor',
  message:
    'Everyone without one, administrators too, is locked out until they add it. Their access tokens are refused until then.',
  confirmLabel: 'Require Second Factor',
}
const releasing = {
  title: 'No longer require a second factor',
  message: 'Users keep their second factors and may remove them.',
  confirmLabel: 'Stop Requiring',
  danger: true,
}
