import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  admin,
  createTeam,
  screens,
  sees,
  seesDirection,
  shot,
  signInThrough,
  until,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

const former = usePlatform({ claimed: true })
const platform = usePlatform({ claimed: false })
const visitors = useVisitors()
const passphrase = 'four words of mine'

test('The set-up page restores a backup, once the passphrase is right, and its people sign in', async () => {
  const boss = await former().people.signIn(admin.username, admin.password)
  await createTeam(boss.client, 'Example Bakery')
  await boss.client.call('backup.create', { body: { passphrase } })
  const { backups } = await until(
    () => boss.client.call('backup.list'),
    ({ job }) => job?.state === 'done',
    60_000,
  )
  const name = backups[0]!.name
  const bytes = await fetch(`${former().url}/api/v1/admin/backups/${name}`, { headers: { cookie: boss.cookie } })
  const file = join(former().home, name)
  writeFileSync(file, Buffer.from(await bytes.arrayBuffer()))

  const { page, expectProblem } = await visitors.open(platform())
  // While the platform is replaced nobody answers.
  expectProblem(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|503 \(Service Unavailable\)/)
  await page.goto(platform().server.link!)
  await page.getByRole('button', { name: 'Restore from a backup instead' }).click()
  const restore = page.getByRole('button', { name: 'Restore', exact: true })
  expect(await restore.isDisabled()).toBe(true)
  await page.getByLabel('Backup', { exact: true }).setInputFiles(file)
  await seesDirection(page.locator('form'), name, 'This platform')
  await page.getByLabel('Passphrase of the backup', { exact: true }).fill('not this one at all')
  await restore.click()
  await sees(page.getByText(/The passphrase is not the one of this backup/))
  await shot(page, 'set-up-restore')
  await page.getByLabel('Passphrase of the backup', { exact: true }).fill(passphrase)
  await restore.click()
  await sees(page.getByRole('listitem').filter({ hasText: 'Check the file' }))
  await page.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: 120_000 })
  await shot(page, 'set-up-restored')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await signInThrough(page, admin.username, admin.password)
  await sees(screens.heading(page, 'Applications'))
  expect(new URL(page.url()).pathname).toBe('/team/example-bakery/applications')
})
