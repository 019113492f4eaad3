import { existsSync } from 'node:fs'
import { ConfigError, readConfig } from '../config.ts'
import { auditSigner, verifyChain } from '../features/audit/index.ts'
import { openKeys } from '../keys.ts'
import { openDatabase } from '../platform/db/database.ts'
import { keyFileOf } from '../platform/keys/key.file.ts'

/**
 * Says whether the audit log is as it was written, from the machine's shell, beside a running server or without one.
 * It only reads. Ends with 0 when it is, 1 when it is not, 2 when that could not be found out.
 */
async function main(): Promise<number> {
  const config = readConfig(process.env)
  if (!config.secretKey && !existsSync(keyFileOf(config.home))) {
    process.stderr.write(`There is no key in ${config.home}. Set FORGE_HOME to the folder of the platform.\n`)
    return 2
  }
  const database = await openDatabase({ home: config.home, url: config.databaseUrl })
  try {
    const signer = auditSigner(await openKeys(database, config))
    const { checked, unsealed, removed, faults } = await verifyChain({ database, signer, config })
    for (const { kind, position, count, entry } of faults)
      process.stdout.write(`${kind}: place ${position}, ${count} of them${entry ? `, entry ${entry}` : ''}\n`)
    process.stdout.write(
      `${checked} ${checked === 1 ? 'entry' : 'entries'} checked, ${unsealed} not sealed yet, ${removed} removed by retention: ` +
        `${faults.length === 0 ? 'the audit log is as it was written' : 'the audit log was changed'}\n`,
    )
    return faults.length === 0 ? 0 : 1
  } finally {
    await database.close()
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.problems.join('\n') : String(error)}\n`)
  process.exitCode = 2
}
