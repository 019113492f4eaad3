import type { Config } from './config.ts'
import { hasAnyUser } from './features/account/index.ts'
import { provesAudit } from './features/audit/index.ts'
import type { Database } from './platform/db/database.ts'
import { type Keyring, openKeyring } from './platform/keys/keyring.ts'
import { sealedColumns } from './sealed.columns.ts'

/**
 * The master keys of a platform, judged against its database; nothing is changed until they are settled.
 * @throws WrongKey
 */
export const openKeys = (
  database: Database,
  { home, secretKey }: Pick<Config, 'home' | 'secretKey'>,
): Promise<Keyring> =>
  openKeyring({
    database,
    home,
    configured: secretKey,
    columns: sealedColumns,
    proves: (keys) => provesAudit(database.read, keys),
    // Before there is a schema there is nobody either.
    isNobodys: () =>
      hasAnyUser(database.read).then(
        (anybody) => !anybody,
        () => true,
      ),
  })
