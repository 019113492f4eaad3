import { join } from 'node:path'
import { listed, readLock, shippedBy } from '../release/lock.ts'

const root = join(import.meta.dirname, '../..')
/** The workspaces that the package and the image are made of. */
export const shipped = ['apps/server', 'apps/web', 'apps/instance-runtime', 'apps/agent', 'apps/broker']

/** The file NOTICE: third parties whose work is in the package and the image. */
export function noticeText(): string {
  const lock = readLock(root)
  const lines = listed(lock, shippedBy(lock, ['', ...shipped, 'packages/nodered', 'packages/drivers'])).map(
    ({ name, version, license }) => `  ${name} ${version} (${license})`,
  )
  return `FlowForge
Copyright the FlowForge authors

This product is licensed under the Apache License, Version 2.0 (see LICENSE).
Node-RED is a trademark of the OpenJS Foundation. This product is not made, endorsed or supported by it.

The package and the container image include the software below, each under the licence named after it. The texts of
these licences are in the file THIRD-PARTY-LICENSES.txt of the package.
Written by \`npm run gen\` from package-lock.json.

${lines.join('\n')}
`
}
