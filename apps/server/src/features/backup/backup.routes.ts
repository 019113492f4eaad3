import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { BackupService } from './backup.service.ts'

export function backupHandlers(backups: BackupService): Handlers<RouteIdOf<'backup'>> {
  return {
    'backup.list': async () => backups.overview(),
    'backup.create': async ({ actor }, { body }) => backups.create(actor, body.passphrase),
    async 'backup.download'({ actor, reply }, { params: { name } }) {
      const { stream, size } = await backups.download(actor, name)
      await reply
        .type('application/octet-stream')
        .header('content-length', size)
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(stream)
    },
    async 'backup.delete'({ actor }, { params }) {
      await backups.remove(actor, params.name)
      return okay
    },
  }
}
