import { variableContext } from '../instance-settings/index.ts'
import type { CopyOptions, EnvEntry, InstanceImport } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { objectColumn } from '../../platform/db/json.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail, Failure } from '../../platform/http/failure.ts'
import { ownSettings, type StoredSettings } from '../catalogue/index.ts'
import { type Credentials, openCredentials, sealCredentials } from '../flows/index.ts'
import { secretContext, findWhole, type InstanceRow, type WholeInstance, asInstalled } from '../instances/index.ts'
import { effectiveSettings } from '../instance-settings/index.ts'
import { readStorage, storageContext } from '../storage/index.ts'
import { type Origin, type PreparedFlows, prepareFlows, type Versions } from '../versions/index.ts'

type Owner = Pick<InstanceRow, 'id' | 'credential_secret'>
/** Flows and credentials to be put into an instance; what is undefined stays as it is. */
interface Contents {
  flows?: PreparedFlows
  credentials?: Credentials
}

interface ContentsDependencies {
  database: Database
  driver: Driver
  vault: Vault
  versions: Versions
}

const readSealed = objectColumn('instance_storage.body')

/** The contents of instances: flows and their credentials, each readable only with the secret of its instance. */
export function createContents(deps: ContentsDependencies) {
  const { database, vault, versions } = deps
  const secretOf = (row: Owner) => vault.open(row.credential_secret, secretContext(row.id))

  /** Credentials as they stand in the storage of an instance, and back. */
  function open(row: Owner, body: string): Credentials {
    const plain = openCredentials(
      readSealed(vault.open(body, storageContext(row.id, 'credentials')), row.id),
      secretOf(row),
    )
    if (!plain) throw fail('unexpected_error', 'The credentials of this instance cannot be read')
    return plain
  }
  function seal(row: Owner, plain: Credentials): string {
    return vault.seal(JSON.stringify(sealCredentials(plain, secretOf(row))), storageContext(row.id, 'credentials'))
  }

  async function credentialsOf(row: Owner): Promise<Credentials> {
    const body = await readStorage(database.read, row.id, 'credentials')
    return body === undefined ? {} : open(row, body)
  }

  async function write(tx: Tx, row: Owner, { flows, credentials }: Contents, origin: Origin): Promise<void> {
    const sealed = credentials && JSON.stringify(sealCredentials(credentials, secretOf(row)))
    await versions.write(tx, row.id, { flows, credentials: sealed }, origin)
  }

  /** Own settings of the source that a copy gets: modules and variables, whose secrets are sealed anew. */
  function settingsOfCopy(source: WholeInstance, id: string, options: CopyOptions): StoredSettings {
    const { env = [] } = ownSettings(source)
    const modules = effectiveSettings(source).palette?.modules ?? []
    const copied = ({ name, value, encrypted }: EnvEntry): EnvEntry => {
      if (options.envVars === 'keys') return { name, value: '' }
      if (!encrypted) return { name, value }
      const plain = vault.open(value, variableContext(source.id, name))
      return { name, value: vault.seal(plain, variableContext(id, name)), encrypted }
    }
    return {
      ...(options.nodes && modules.length > 0 ? { palette: { modules } } : {}),
      ...(options.envVars && env.length > 0 ? { env: env.map(copied) } : {}),
    }
  }

  return {
    write,
    open,
    seal,
    settingsOfCopy,

    /** The same for credentials that may be none for the instance: those are as good as `otherwise`. */
    openOr(row: Owner, body: string, otherwise: Credentials): Credentials {
      try {
        return open(row, body)
      } catch (error) {
        if (error instanceof Failure) return otherwise
        throw error
      }
    },

    /**
     * Reads what a new instance is to have of another one of its application.
     * @throws Failure invalid_source_project when the team has none (400) or it belongs to another application (403).
     */
    async copyOf(sourceId: string, options: CopyOptions, to: { applicationId: string; teamId: string }) {
      const found = await findWhole(database.read, sourceId)
      if (found?.team_id !== to.teamId) throw fail('invalid_source_project', undefined, { field: 'sourceProject' })
      const source = await asInstalled(deps, found)
      if (source.application_id !== to.applicationId)
        throw fail('invalid_source_project', 'The source belongs to another application', { status: 403 })
      const flows = options.flows ? await readStorage(database.read, sourceId, 'flows') : undefined
      const credentials = options.flows && options.credentials ? await credentialsOf(source) : undefined
      return {
        source: { id: source.id, name: source.name },
        settings: (id: string) => settingsOfCopy(source, id, options),
        contents: {
          ...(flows === undefined ? {} : { flows: await prepareFlows(flows) }),
          ...(credentials ? { credentials } : {}),
        },
      }
    },

    /** Reads files to be imported. @throws Failure invalid_request, invalid_credentials_secret. */
    async parse({ flows, credentials, credsSecret }: InstanceImport): Promise<Contents> {
      const result: Contents = {}
      if (flows !== undefined) {
        const parsed = json(flows, 'flows')
        const isFlow = (node: unknown) => typeof node === 'object' && node !== null && 'id' in node && 'type' in node
        if (!Array.isArray(parsed) || !parsed.every(isFlow))
          throw fail('invalid_request', 'Does not look like a flow file', { field: 'flows' })
        result.flows = await prepareFlows(JSON.stringify(parsed), parsed)
      }
      if (credentials !== undefined) {
        const plain = openCredentials(json(credentials, 'credentials'), credsSecret?.trim() ?? '')
        if (!plain) throw fail('invalid_credentials_secret', undefined, { field: 'credsSecret' })
        result.credentials = plain
      }
      return result
    },
  }
}
export type ContentsService = ReturnType<typeof createContents>

function json(text: string, field: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fail('invalid_request', 'Not JSON', { field })
  }
}
