import type { Backup, Backups } from '@app/contract'
import { addressOf } from '@app/client'
import { routeMap } from '@app/client/routes'
import { useQuery } from '@tanstack/react-query'
import { DatabaseBackup, Download, Plus, RotateCw, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Button } from '../../../ui/Button.tsx'
import { buttonStyle } from '../../../ui/button-style.ts'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { useAdminCommand } from '../../account/index.ts'
import { JobSteps } from '../../instances/index.ts'
import { MakeBackupDialog } from '../components/MakeBackupDialog.tsx'
import { OperationsFrame, backupsQuery, useDeleteBackup, useRetryBackup } from '../../health/index.ts'
import { formatSize } from '../../../lib/sizes.ts'

/** Backups of the whole platform: made, fetched and deleted here, restored from the shell. */
export function BackupsPage() {
  const { data, error, refetch } = useQuery(backupsQuery)
  const { mutateAsync: remove } = useDeleteBackup()
  const { mutateAsync: retry } = useRetryBackup()
  const [making, setMaking] = useState(false)
  const command = useAdminCommand()
  const columns = useMemo(() => columnsFor((backup) => void removeOne(backup, remove)), [remove])
  const job = data?.job
  const isBusy = job?.state === 'queued' || job?.state === 'running'
  const make = (
    <Button variant="primary" icon={<Plus size={14} aria-hidden />} disabled={isBusy} onClick={() => setMaking(true)}>
      Make Backup
    </Button>
  )
  const hasSome = data !== undefined && data.backups.length > 0
  return (
    <OperationsFrame
      title="Backups"
      description={data ? <Nightly nightly={data.nightly} /> : 'The whole platform in one encrypted file.'}
      actions={hasSome && make}
    >
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-4">
          {job && (isBusy || job.state === 'failed') && <JobSteps job={job} />}
          {job && data?.canRetry && (
            <div>
              <Button icon={<RotateCw size={14} aria-hidden />} onClick={() => void retry(job.id)}>
                Try again
              </Button>
            </div>
          )}
          <Table
            label="Backups"
            rows={data?.backups}
            columns={columns}
            rowId={({ name }) => name}
            empty={
              data?.unreadable ? (
                <EmptyState icon={<DatabaseBackup />} title="The folder of backups cannot be read">
                  {data.unreadable}
                </EmptyState>
              ) : (
                <EmptyState icon={<DatabaseBackup />} title="No backups on this server" action={make}>
                  A backup has everything needed to restore the platform and its instances on another machine.
                </EmptyState>
              )
            }
          />
          <Card title="Restoring" padded>
            <div className="flex max-w-170 flex-col gap-2 text-muted">
              <p>
                Restore a backup into an empty platform. Open its one-time set-up link, or run this in the shell while
                its server is stopped:
              </p>
              <p className="mono rounded-md bg-hover px-3 py-2 break-words text-ink">{command} restore &lt;file&gt;</p>
              <p>
                Both ask for the passphrase and check the file before they change anything. The server then downloads
                Node-RED and modules again, and starts the instances that were running. Download your backups and keep
                them on another machine.
              </p>
            </div>
          </Card>
        </div>
      )}
      {making && <MakeBackupDialog onClose={() => setMaking(false)} />}
    </OperationsFrame>
  )
}

function Nightly({ nightly }: { nightly: Backups['nightly'] }) {
  if (!nightly) return <>Automatic backups are off. Set FORGE_BACKUP_AT to schedule one.</>
  return (
    <>
      Backups run every day at {nightly.at}. The last {nightly.keep} are kept.
    </>
  )
}

async function removeOne({ name }: Backup, remove: (name: string) => Promise<unknown>): Promise<void> {
  const sure = await confirm({
    title: 'Delete Backup',
    message: (
      <>
        <b>{name}</b> is deleted from this server. Copies that you downloaded are not affected.
      </>
    ),
    confirmLabel: 'Delete',
    danger: true,
  })
  if (!sure) return
  await remove(name)
  toast.success('Backup deleted.')
}

function columnsFor(onDelete: (backup: Backup) => void): Column<Backup>[] {
  return [
    {
      id: 'name',
      header: 'File',
      value: ({ name }) => name,
      cell: ({ name }) => <span className="mono break-all whitespace-normal">{name}</span>,
    },
    {
      id: 'made',
      header: 'Made',
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
      width: 'w-40',
    },
    {
      id: 'size',
      header: 'Size',
      value: ({ size }) => size,
      cell: ({ size }) => <span className="num">{formatSize(size)}</span>,
      width: 'w-28',
    },
    {
      id: 'checked',
      header: 'Checked',
      value: ({ checkedAt }) => checkedAt ?? '',
      cell: ({ checkedAt, damage }) =>
        damage ? (
          <span className="whitespace-normal text-bad-text">Damaged. {damage}.</span>
        ) : checkedAt ? (
          <RelativeTime time={checkedAt} />
        ) : (
          <span className="text-muted">Never</span>
        ),
      width: 'w-40',
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'end',
      width: 'w-44',
      cell: (backup) => (
        <div className="flex items-center justify-end gap-1">
          <a
            href={addressOf(routeMap['backup.download'][1], { name: backup.name })}
            download={backup.name}
            aria-label={`Download ${backup.name}`}
            className={buttonStyle('default', 'sm')}
          >
            <Download size={14} aria-hidden />
            Download
          </a>
          <IconButton label={`Delete ${backup.name}`} size="sm" onClick={() => onDelete(backup)}>
            <Trash2 size={14} aria-hidden />
          </IconButton>
        </div>
      ),
    },
  ]
}
