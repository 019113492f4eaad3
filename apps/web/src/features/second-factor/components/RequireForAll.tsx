import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { api } from '../../../lib/api.ts'
import { Card } from '../../../ui/Card.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { toast } from '../../../ui/toast.ts'

/** For administrators: whether the platform asks everyone for a second factor. */
export function RequireForAll({
  required,
  hasFactor,
  onChanged,
}: {
  required: boolean
  /** Whoever has none would lock themself first of all. */
  hasFactor: boolean
  onChanged: () => void
}) {
  const { mutateAsync: save, isPending } = useMutation({
    mutationFn: (next: boolean) => api.call('settings.update', { body: { 'user:mfa-required': next } }),
    onSuccess: onChanged,
  })
  async function change(next: boolean) {
    if (!(await confirm(next ? requiring : releasing))) return
    await save(next)
    toast.success(next ? 'A second factor is required now.' : 'A second factor is no longer required.')
  }
  return (
    <Card title="Everyone on this platform" icon={<ShieldCheck size={16} aria-hidden className="text-muted" />} padded>
      <Switch
        checked={required}
        disabled={isPending || (!required && !hasFactor)}
        onChange={(next) => void change(next)}
        label="Require a second factor"
        help={
          required || hasFactor
            ? 'Who has none is asked to add one at the next click; until then nothing else is open to them or their access tokens.'
            : 'Add one of your own first.'
        }
      />
    </Card>
  )
}

const requiring = {
  title: 'Require a second factor',
  message:
    'Everyone who has none, administrators too, is locked until they add one. Access tokens of theirs are refused meanwhile.',
  confirmLabel: 'Require it',
}
const releasing = {
  title: 'No longer require a second factor',
  message: 'Whoever has one keeps it, and may remove it.',
  confirmLabel: 'Release',
  danger: true,
}
